"""Building a study step by step, as on its pages: texts, units, tasks, design; the phases and keys of tasks."""

from __future__ import annotations

from django.conf import settings
from pydantic import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import StudyView, parsed, query, uploaded
from annotation.api.building_schemas import (
    CutDetail,
    CutDone,
    CutPage,
    DesignDetail,
    KeyAct,
    NewConfig,
    NewCut,
    NewDesign,
    NewPhase,
    NewTask,
    PhaseOpened,
    TableFields,
    TableUsed,
    TaskDetail,
    TaskList,
)
from annotation.api.documented import PAGED, READS, WRITES, form, operation
from annotation.api.errors import Detail, Invalid
from annotation.api.paging import paged
from annotation.api.schemas import PageQuery
from annotation.found import found_or_404
from annotation.models import Output, Task
from annotation.overtaken import fingerprint
from annotation.selectors.building import texts_with_units
from annotation.selectors.files import study_materials
from annotation.selectors.studies import text_find
from annotation.selectors.tasks import task_find, tasks_of
from annotation.services import building as services
from annotation.services.dealing import phase_extend, phase_open
from annotation.services.keys import key_choose, key_reopen
from annotation.services.studies import units_cut
from annotation.study_files import Problem, StudyFileProblems
from annotation.study_files.plain import sentences
from annotation.tables import TableProblem
from annotation.tasks import KINDS, TEMPLATES

NOTES = 100


class TaskView(StudyView):
    def task(self, name: str) -> Task:
        return found_or_404(task_find(self.study, name), "There is no such task.")


class Tasks(StudyView):
    @operation("building", "tasks_list", "The tasks of a study", *READS, answer=TaskList)
    def get(self, request: Request, slug: str) -> Response:
        """Each with its configuration, as a study file says it."""
        answer = TaskList(tasks=[_task(task) for task in tasks_of(self.study)])
        return Response(answer.model_dump(mode="json"))

    @operation(
        "building",
        "task_add",
        "Add a task to a draft",
        *WRITES,
        409,
        422,
        answer=TaskDetail,
        status=201,
        takes=NewTask,
    )
    def post(self, request: Request, slug: str) -> Response:
        """From a template; the first one brings its instructions and its design along."""
        name = parsed(NewTask, request.data).template
        template = TEMPLATES.get(name)
        if template is None:
            words = f"There is no template “{name}”; there are {', '.join(TEMPLATES)}."
            raise Invalid("Nothing was added.", [Detail(field="template", message=words)])
        materials, _ = study_materials(self.study)
        task = services.task_from_template(study=self.study, template=template, materials=materials)
        return Response(_task(task).model_dump(mode="json"), status=201)


class OneTask(TaskView):
    @operation(
        "building",
        "task_configure",
        "Change the settings of a task",
        *WRITES,
        409,
        422,
        answer=TaskDetail,
        takes=NewConfig,
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """While the study is a draft."""
        new, task = parsed(NewConfig, request.data), self.task(name)
        model = KINDS[task.kind].Config
        try:
            model.model_validate(new.config)
        except ValidationError as error:
            found = [
                Detail(field=".".join(("config", *map(str, place))), message=sentence)
                for place, sentence in sentences(error, model)
            ]
            raise Invalid("The settings cannot be used as they are.", found) from None
        seen = new.version or fingerprint(task.config)
        task = services.task_configure(study=self.study, task=task, config=new.config, seen=seen)
        return Response(_task(task).model_dump(mode="json"))

    @operation("building", "task_remove", "Take a task out of a draft", *WRITES, 409, status=204)
    def delete(self, request: Request, slug: str, name: str) -> Response:
        services.task_remove(study=self.study, task=self.task(name))
        return Response(status=204)


class TaskPhase(TaskView):
    @operation(
        "building",
        "task_phase",
        "Open the next phase of a task",
        *WRITES,
        409,
        422,
        answer=PhaseOpened,
        takes=NewPhase,
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Or add to the open one what has been written since."""
        task, added = self.task(name), None
        if parsed(NewPhase, request.data).extend:
            added = phase_extend(task=task)
        else:
            phase_open(task=task)
        return Response(PhaseOpened(phase=task.phase, added=added).model_dump())


class TaskKey(TaskView):
    @operation(
        "building",
        "task_key",
        "Choose a key, or give it back to its builder",
        *WRITES,
        409,
        422,
        status=204,
        takes=KeyAct,
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """choose: it goes on; reopen: its builder goes on with it; join: with all others joined into it."""
        sent, task = parsed(KeyAct, request.data), self.task(name)
        if sent.act == "choose":
            key_choose(task=task, about=sent.about, author=sent.author)
        else:
            key_reopen(task=task, about=sent.about, author=sent.author, join=sent.act == "join")
        return Response(status=204)


class StudyDesign(StudyView):
    @operation("building", "design", "Who judges what", *READS, answer=DesignDetail)
    def get(self, request: Request, slug: str) -> Response:
        return self._answer()

    @operation(
        "building",
        "design_set",
        "Give a draft another design",
        *WRITES,
        409,
        422,
        answer=DesignDetail,
        takes=NewDesign,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Tasks that have one of their own keep it."""
        new = parsed(NewDesign, request.data)
        seen = new.version or fingerprint(self.study.design)
        services.design_set(study=self.study, design=new.design, seen=seen)
        return self._answer()

    def _answer(self) -> Response:
        design = self.study.design
        return Response(DesignDetail(design=design, version=fingerprint(design)).model_dump())


class StudyTable(StudyView):
    parser_classes = [MultiPartParser]

    @operation(
        "building",
        "table_use",
        "Put the texts of a table into a draft",
        *WRITES,
        409,
        422,
        answer=TableUsed,
        takes=form(
            map={
                "type": "string",
                "description": "COLUMN=ROLE, one a line, where the guess would be wrong.",
            }
        ),
    )
    def post(self, request: Request, slug: str) -> Response:
        """In place of those that it has; all or nothing, and every problem is named with its row."""
        file, fields = uploaded(request)
        mapping = parsed(TableFields, fields).map.splitlines()
        name = file.name or ""
        try:
            found = services.table_use_whole(
                study=self.study,
                file=(name, file.read()),
                mapping=mapping,
                max_bytes=settings.STUDY_UNPACKED_MAX_BYTES,
            )
        except TableProblem as problem:
            raise StudyFileProblems([Problem(name, None, str(problem))]) from None
        notes = [issue.message for issue in found.issues if not issue.fatal][:NOTES]
        materials = found.materials
        answer = TableUsed(documents=len(materials.documents), outputs=len(materials.outputs), notes=notes)
        return Response(answer.model_dump())


class Units(StudyView):
    takes_much = True

    @operation(
        "building",
        "units_list",
        "Outputs, and how they are cut",
        *READS,
        422,
        answer=CutPage,
        parameters=PAGED,
    )
    def get(self, request: Request, slug: str) -> Response:
        return paged(request, texts_with_units(self.study), query(PageQuery, request), CutPage, _cut)

    @operation(
        "building",
        "units_cut",
        "Cut texts into units",
        *WRITES,
        409,
        422,
        answer=CutDone,
        takes=NewCut,
    )
    def post(self, request: Request, slug: str) -> Response:
        """All texts of a draft alike, or one by hand: its units together must be the same text as before."""
        sent = parsed(NewCut, request.data)
        if sent.how is not None:
            return Response(
                CutDone(texts=services.units_cut_all(study=self.study, how=sent.how)).model_dump()
            )
        if sent.id is None:
            words = "Say how all texts are cut, or which one."
            raise Invalid("Nothing was cut.", [Detail(field="how", message=words)])
        text = text_find(self.study, sent.kind, sent.id)
        if text is None:
            words = "There is no such text."
            raise Invalid("Nothing was cut.", [Detail(field="id", message=words)])
        units_cut(text=text, units=sent.units)
        return Response(CutDone(texts=1).model_dump())


def _task(task: Task) -> TaskDetail:
    version = fingerprint(task.config)
    return TaskDetail.model_validate(
        {name: getattr(task, name) for name in ("name", "kind", "config", "design", "phase")}
        | {"version": version}
    )


def _cut(row: Output) -> CutDetail:
    return CutDetail(id=row.pk, system=row.system.key, item=row.item_key, units=row.units)
