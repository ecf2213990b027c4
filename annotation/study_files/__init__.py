"""Study files: read and check them, write them. Nothing here knows Django; services store what is read."""

from annotation.study_files.problems import Problem, StudyFileProblems
from annotation.study_files.read import read_study
from annotation.study_files.write import Occupied, write_study, zipped

__all__ = ["Occupied", "Problem", "StudyFileProblems", "read_study", "write_study", "zipped"]
