"""Forced colours, as Windows' high contrast sets them: on the page of every kind, what was chosen looks other than what was not."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.services.assessors import assessor_link, assessor_start
from annotation.services.studies import study_import, study_open
from annotation.services.work import assignment_next, draft_save
from annotation.study_files import read_study
from annotation.tasks import KINDS
from tests.browser.conftest import begin_part, ready, settled
from tests.conftest import ROOT
from tests.studies import plausible

pytestmark = pytest.mark.django_db(transaction=True)

# Each thing that can be chosen, as it looks: colours, lines, marks before and after it, and its key.
LOOKS = """() => {
  const signs = ["backgroundColor", "color", "outlineStyle", "borderTopColor", "borderTopWidth", "borderTopStyle", "textDecorationLine"];
  const of = (node, pseudo) => {
    const style = getComputedStyle(node, pseudo);
    return [...signs.map((sign) => style[sign]), pseudo ? style.content : ""].join();
  };
  const look = (node) =>
    [of(node), of(node, "::before"), of(node, "::after"), ...[...node.querySelectorAll("*")].map((inner) => of(inner))].join("|");
  const seen = (input) => input && input.offsetWidth > 8 && getComputedStyle(input).opacity !== "0" && !getComputedStyle(input).clipPath.startsWith("inset");
  const shown = (node) => node.checkVisibility() && node.closest("#item");
  const marks = [...document.querySelectorAll("#item mark, #item :is(.unit-card, .asked-unit, .asked-nugget)")].filter(shown).flatMap((node) => {
    const card = !node.matches("mark");
    const plain = card ? [] : [{ sort: "mark", chosen: false, look: of(node.parentElement) + getComputedStyle(node.parentElement).borderInlineStartColor }];
    return [{ sort: card ? "card" : "mark", chosen: !card || node.matches(".chosen, .current"), look: of(node) + getComputedStyle(node).borderInlineStartColor }, ...plain];
  });
  return marks.concat([...document.querySelectorAll("#item [aria-pressed], #item [aria-checked], #item [aria-selected], #item label:has(input:is([type=radio], [type=checkbox]))")]
    .filter(shown)
    .map((node) => {
      const input = node.querySelector("input");
      const state = ["aria-pressed", "aria-checked", "aria-selected"].map((name) => node.getAttribute(name)).find((value) => value !== null);
      return { sort: node.tagName + "." + node.classList[0], chosen: input ? input.checked : state === "true", look: seen(input) ? `${input.checked}` : look(node) };
    }));
}"""


def test_what_was_chosen_is_seen_on_the_page_of_every_kind(new_context):
    page = new_context(forced_colors="active", reduced_motion="reduce").new_page()
    found: dict[str, int] = {}
    alike: list[str] = []
    for kind in sorted(KINDS):
        study = study_import(study_file=read_study(ROOT / "fixtures" / kind))
        study_open(study=study)
        assessor = study.assessors.select_related("study").first()
        assessor_start(assessor=assessor, consented=True)
        assignment = assignment_next(assessor=assessor)
        answer, stages = plausible(assignment)
        for stage in range(stages + 1):
            draft_save(assignment=assignment, revision=1, answer=answer, advance=stage < stages)
        page.goto(reverse("join", kwargs={"token": assessor_link(assessor=assessor)}))
        ready(page)
        begin_part(page)
        settled(page)
        things = page.evaluate(LOOKS)
        found[kind] = sum(thing["chosen"] for thing in things)
        for chosen in (thing for thing in things if thing["chosen"]):
            others = [one["look"] for one in things if one["sort"] == chosen["sort"] and not one["chosen"]]
            if chosen["look"] in others:
                alike.append(f"{kind}: {chosen['sort']}")
    assert alike == []
    assert all(found.values()), found
