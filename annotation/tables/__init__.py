"""From a table of texts, as people have it, to the materials of a study. Nothing here knows Django or a database.

``grid``: bytes of any usual kind of table, as rows of cells. ``roles``: what a column is, by a guess that can be changed.
``assemble``: rows and roles, as documents, references, systems and outputs, with every problem beside its row.
"""

from annotation.tables.assemble import Assembly, Issue, assemble
from annotation.tables.grid import Grid, TableProblem, read_grid, read_grids
from annotation.tables.roles import ROLES, guessed_roles

__all__ = [
    "ROLES",
    "Assembly",
    "Grid",
    "Issue",
    "TableProblem",
    "assemble",
    "guessed_roles",
    "read_grid",
    "read_grids",
]
