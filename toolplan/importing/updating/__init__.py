"""A changed server into an edited file: what the author changed stays, tools come and go, and what it means is told.

- `updated`: the file after the change. What a person edited is what differs from the import of the list that the server had before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolplan.catalog import Catalog, RealTool
from toolplan.checks import lints
from toolplan.checks.schemas import against_schemas
from toolplan.domain import AtomicFormula, Domain, IfKnown
from toolplan.importing.tools import Given, Imported, Rater, Trust, imported
from toolplan.importing.updating.declared import Declarations, declared
from toolplan.importing.updating.differences import Difference, differences
from toolplan.importing.updating.merging import Merging
from toolplan.language.codes import Severity
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.formatter import format_source
from toolplan.language.source import Source


@dataclass(frozen=True, eq=False)
class Updated:
    """An edited file after its server has changed.

    `imported` is what the new list alone would have given, `disputed` says what author and server both changed, `gone` are the tools that the
    server no longer has: their contracts are marked and stay. `findings` are those of `toolplan check`, and where hints deny a rating.
    """

    text: str
    imported: Imported
    disputed: tuple[str, ...]
    gone: tuple[str, ...]
    differences: tuple[Difference, ...]
    findings: tuple[Diagnostic, ...]


def updated(edited: Source, before: Sequence[RealTool], after: Sequence[RealTool], *, trust: Trust = Trust.NONE) -> Updated:
    """The file `edited`, which was imported from the list `before`, for the list `after`. Raises DomainError where it cannot be read.

    Without trust in the hints of a server, the file is compared with what was imported without it, so that levels of risk which came from
    hints count as the author's.
    """
    mine, rest = declared(edited)
    folder = Path(edited.name).parent
    was = lints.check_text(edited.text, edited.name, folder)
    if any(finding.severity is Severity.ERROR for finding in was.diagnostics):
        raise DomainError(was.diagnostics)
    name = was.domain.name
    given, rater = _names_in(was.domain), Rater(trust, was.domain.policy.risk)
    base, theirs = (imported(tools, name=name, rater=rater, given=given) for tools in (before, after))
    listed = {tool.name for tool in after}
    gone = {base.names.tools[tool.name]: tool.name for tool in before if tool.name not in listed}
    merging = Merging(mine, _declarations(base), _declarations(theirs), frozenset(gone))
    text = format_source(Source(edited.name, merging.text + rest))
    now = lints.check_text(text, edited.name, folder)
    if any(finding.severity is Severity.ERROR for finding in now.diagnostics):
        return Updated(text, theirs, merging.disputed, tuple(gone.values()), (), tuple(now.diagnostics))
    # Contracts of tools that are gone are marked, and no error.
    doubtful = (finding for finding in against_schemas(now, Catalog(after)) if finding.severity is not Severity.ERROR)
    changed = differences(was.domain, now.domain)
    return Updated(text, theirs, merging.disputed, tuple(gone.values()), changed, (*now.diagnostics, *doubtful))


def _names_in(domain: Domain) -> Given:
    """The names of contracts and facts that `domain` has for real tools and their arguments."""
    tools: dict[str, str] = {}
    facts: dict[tuple[str, str], str] = {}
    for tool in domain.tools.values():
        tools.setdefault(tool.call_name, tool.name)
        for argument, source in tool.interface.passes.items():
            passed = source.atom if isinstance(source, IfKnown) else source
            if isinstance(passed, AtomicFormula) and not passed.terms:
                facts.setdefault((tool.call_name, argument), passed.fact)
    return Given(tools, facts)


def _declarations(made: Imported) -> Declarations:
    """The declarations of what was imported."""
    return declared(Source("<import>", made.text))[0]
