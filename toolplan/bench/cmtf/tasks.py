"""102 tasks in the nine patterns of the paper's table 1, 34 for each domain: a request, what is known, and what each call would find.

They are spelt out from the lists below, always the same ones. Dates and times are given in full, as a host would have resolved them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `given` and `findable` are values of facts: those known at the start, and those that tools can find out.

    `gold` is the chain of tools that reaches `goal`.
    """

    id: str
    pattern: str
    request: str
    goal: str
    given: Mapping[str, str]
    findable: Mapping[str, str]
    gold: tuple[str, ...]


class _Subject:
    """Words about one thing, and the values that belong to it."""

    def __init__(self, number: int, line: str) -> None:
        self.number = number
        self.parts = [part.strip() for part in line.split("|")]


def tasks() -> list[Task]:
    """All 102, in the order of the table: calendar, email, files."""
    return list(chain.from_iterable(islice(pattern(), count) for pattern, count in PATTERNS))


EVENTS = """
the dentist appointment | 2026-03-03 | tomorrow | 2026-03-03T16:00:00 | 4 PM | Ada Lind
the budget review | 2026-03-05 | on Thursday | 2026-03-06T10:30:00 | Friday at 10:30 AM | Ben Ortiz
lunch with the auditors | 2026-03-04 | on Wednesday | 2026-03-04T13:15:00 | 1:15 PM | Carla Moss
the sprint planning | 2026-03-09 | next Monday | 2026-03-09T15:00:00 | 3 PM | Deniz Kaya
the car inspection | 2026-03-06 | on Friday | 2026-03-10T08:00:00 | Tuesday at 8 AM | Emil Novak
the interview with the designer | 2026-03-11 | on March 11 | 2026-03-11T11:45:00 | 11:45 AM | Fay Okafor
the parents' evening | 2026-03-12 | next Thursday | 2026-03-12T19:30:00 | 7:30 PM | Gita Rao
the server migration | 2026-03-14 | on Saturday | 2026-03-15T06:00:00 | Sunday at 6 AM | Hugo Blanc
yoga class | 2026-03-02 | today | 2026-03-02T18:00:00 | 6 PM | Ines Prado
the board meeting | 2026-03-17 | on the 17th | 2026-03-18T09:00:00 | the 18th at 9 AM | Jonas Weber
the product demo | 2026-03-10 | next Tuesday | 2026-03-10T14:20:00 | 2:20 PM | Kira Sato
the visit to the landlord | 2026-03-13 | on the 13th | 2026-03-13T17:00:00 | 5 PM | Liam Duarte
"""

EMAILS = """
the late invoice | Ms Novak asks why invoice 4711 was not paid. Please answer by March 20. | 2026-03-20
the trip to Oslo | The hotel is booked for two nights. Send your passport number by March 9. | 2026-03-09
the broken projector | The projector in room 2 is out of order. We need a replacement before March 12. | 2026-03-12
the new contract | Attached is the contract. We look for your signature by March 31. | 2026-03-31
the summer party | We plan a party on June 5. Tell us by April 15 whether you come. | 2026-04-15
the data request | The auditors want all access logs of last year until March 25. | 2026-03-25
the rent increase | The rent goes up in May. Objections have to be in by April 1. | 2026-04-01
the conference talk | Your talk was accepted. Slides are due on April 20. | 2026-04-20
the password policy | All passwords have to be changed until March 16. | 2026-03-16
the school trip | The class goes to the museum. Return the form by March 6. | 2026-03-06
the insurance claim | We need photos of the damage no later than March 18. | 2026-03-18
the survey results | Here are the results. Comments are welcome until March 30. | 2026-03-30
"""

FILES = """
the annual report | the risks | Risks: exchange rates and two lawsuits. Outlook: growth of four percent.
the travel policy | hotels | Flights: economy. Hotels: up to 140 euros a night.
the design document | the data model | Data model: users have many orders. Interfaces: one service each.
the lease | the notice period | Rent: 900 euros. Notice period: three months to the end of a quarter.
the meeting minutes | the decisions | Present: six people. Decisions: the launch moves to May.
the test protocol | the failures | Passed: 212 cases. Failures: three, all in the importer.
the grant proposal | the budget | Aim: cheaper sensors. Budget: 240,000 euros for two years.
the user manual | troubleshooting | Setup: plug it in. Troubleshooting: hold the button for ten seconds.
the onboarding guide | the first week | First week: meet the team. Later: choose a project.
the price list | discounts | Licences: 20 euros a seat. Discounts: ten percent from fifty seats on.
the security audit | the findings | Scope: web shop. Findings: one outdated library.
the recipe collection | desserts | Soups: seven of them. Desserts: apple cake and two kinds of pudding.
"""


def _subjects(lines: str) -> Iterator[_Subject]:
    return (_Subject(number, line) for number, line in enumerate(lines.strip().splitlines(), 1))


def _words(templates: Sequence[str], subject: _Subject, **words: str) -> str:
    text = templates[subject.number % len(templates)].format(**words)
    return text[0].upper() + text[1:]


def _events(pattern: str, goal: str, gold: tuple[str, ...], templates: Sequence[str], *, wants: Sequence[str] = ()) -> Iterator[Task]:
    for subject in _subjects(EVENTS):
        event, day, day_words, time, time_words, person = subject.parts
        guest = person.split()[0].lower()
        given = {"date": day, "event_description": event}
        extra = {"new_time": time, f"named({guest})": person}
        given |= {name: value for name, value in extra.items() if name.split("(")[0] in wants}
        findable = {
            "event_id": f"evt_{4000 + 37 * subject.number}",
            "event_details": f"{event}, one hour, in room {subject.number}",
            "event_summary": f"An hour about {event.removeprefix('the ')}.",
            f"resolved({guest})": f"con_{70 + subject.number}",
        }
        request = _words(templates, subject, event=event, day=day_words, time=time_words, person=person)
        yield Task(f"{pattern}-{subject.number}", pattern, request, goal.format(guest), given, findable, gold)


def _emails(pattern: str, gold: tuple[str, ...], templates: Sequence[str]) -> Iterator[Task]:
    for subject in _subjects(EMAILS):
        about, text, deadline = subject.parts
        findable = {
            "email_id": f"msg_{900 + 13 * subject.number}",
            "email_text": text,
            "email_summary": text.split(".")[0] + ".",
            "deadline": deadline,
            "draft_id": f"dr_{subject.number}",
        }
        request = _words(templates, subject, about=about)
        yield Task(f"{pattern}-{subject.number}", pattern, request, pattern, {"email_description": about}, findable, gold)


def _files(pattern: str, gold: tuple[str, ...], templates: Sequence[str], *, wants: Sequence[str] = ()) -> Iterator[Task]:
    for subject in _subjects(FILES):
        about, section, text = subject.parts
        entity = about.removeprefix("the ").replace(" ", "_")
        given = {f"described({entity})": about} | ({f"section({entity})": section} if wants else {})
        findable = {
            f"found({entity})": f"file_{300 + 7 * subject.number}",
            f"contents({entity})": text,
            f"section_summary({entity})": text.split(":")[0],
            f"section_text({entity})": text,
            f"document_summary({entity})": text.split(".")[0] + ".",
        }
        request = _words(templates, subject, about=about, section=section)
        yield Task(f"{pattern}-{subject.number}", pattern, request, f"{pattern}({entity})", given, findable, gold)


def _move_event() -> Iterator[Task]:
    templates = (
        "move {event} {day} to {time}",
        "{event} {day} does not suit me, make it {time}",
        "please reschedule {event} {day}: {time} is better",
    )
    return _events("move_event", "move_event", ("search_events", "update_event"), templates, wants=["new_time"])


def _summarize_event() -> Iterator[Task]:
    templates = ("what is {event} {day} about?", "give me a short summary of {event} {day}", "summarize {event} {day} for me")
    return _events("summarize_event", "summarize_event", ("search_events", "read_event", "summarize_event"), templates)


def _invite_attendee() -> Iterator[Task]:
    templates = ("invite {person} to {event} {day}", "{person} should come to {event} {day}, too", "add {person} to {event} {day}")
    gold = ("find_contact", "search_events", "add_attendee")
    return _events("invite_attendee", "invite_attendee({})", gold, templates, wants=["named"])


def _draft_reply() -> Iterator[Task]:
    templates = (
        "draft an answer to the e-mail about {about}",
        "write a reply to {about}, but do not send it yet",
        "prepare a reply to the mail on {about}",
    )
    return _emails("draft_reply", ("search_emails", "read_email", "create_draft"), templates)


def _summarize_email() -> Iterator[Task]:
    templates = (
        "what does the e-mail about {about} say, in short?",
        "summarize the mail on {about}",
        "give me the gist of the message about {about}",
    )
    return _emails("summarize_email", ("search_emails", "read_email", "summarize_email"), templates)


def _extract_deadline() -> Iterator[Task]:
    templates = (
        "until when do I have to react to the e-mail about {about}?",
        "find the deadline in the mail on {about}",
        "by when is {about} due, says the e-mail?",
    )
    return _emails("extract_deadline", ("search_emails", "read_email", "extract_deadline"), templates)


def _summarize_section() -> Iterator[Task]:
    templates = (
        "summarize {section} in {about}",
        "what does {about} say about {section}, in short?",
        "a short version of the part on {section} of {about}",
    )
    return _files("summarize_section", ("search_files", "read_file", "summarize_section"), templates, wants=["section"])


def _summarize_document() -> Iterator[Task]:
    templates = ("summarize {about}", "what is in {about}, in a few words?", "give me the short version of {about}")
    return _files("summarize_document", ("search_files", "read_file", "summarize_document"), templates)


def _extract_section() -> Iterator[Task]:
    templates = (
        "copy the part on {section} out of {about}",
        "get me the section about {section} from {about}",
        "I need {section} from {about}, word for word",
    )
    return _files("extract_section", ("search_files", "read_file", "extract_section"), templates, wants=["section"])


PATTERNS: Sequence[tuple[Callable[[], Iterator[Task]], int]] = (
    (_move_event, 12),
    (_summarize_event, 11),
    (_invite_attendee, 11),
    (_draft_reply, 12),
    (_summarize_email, 11),
    (_extract_deadline, 11),
    (_summarize_section, 12),
    (_summarize_document, 11),
    (_extract_section, 11),
)
"""Each pattern, and how many of its tasks there are: 34 for each domain."""
