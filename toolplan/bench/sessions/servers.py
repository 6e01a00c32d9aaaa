"""Servers that answer as the real ones of the shipped domains do, as far as their contracts read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Server = Mapping[str, Callable[[Sequence[str]], object]]
"""For a tool, by the name of its contract, its raw result, which holds all of the identifiers."""

CALENDAR: Server = {
    "search_events": lambda ids: {"items": [{"id": each} for each in ids]},
    "read_event": lambda ids: {"description": f"Bring {' and '.join(ids)}."},
    "summarize_event": lambda ids: {"summary": f"About {' and '.join(ids)}."},
    "check_availability": lambda ids: {"free": [{"start": f"2026-12-01T{9 + hour:02}:00:00+00:00"} for hour in range(len(ids))]},
    "find_contact": lambda ids: {"contacts": [{"id": each} for each in ids]},
    "get_address": lambda ids: {"email": f"{ids[0]}@example.org"} if ids else {},
}

OFFICE: Server = {
    "find_main_calendar": lambda ids: {"calendars": [{"id": each, "primary": True} for each in ids]},
    "search_events": lambda ids: {"events": [{"id": each, "summary": f"Meeting {each}"} for each in ids]},
    "get_event": lambda ids: {"event": {"description": f"Bring {' and '.join(ids)}."}},
    "check_slot": lambda ids: {"calendars": {"primary": {"busy": [{"start": each} for each in ids[1:]]}}},
    "create_event": lambda ids: {"event": {"id": "".join(ids)}},
    "search_emails": lambda ids: "\n".join(f"ID: {each}\nSubject: The offer\nFrom: Anna <{each}@example.org>\n" for each in ids),
    "find_address": lambda ids: "\n".join(f"ID: {each}\nSubject: The offer\nFrom: Anna <{each}@example.org>\n" for each in ids),
    "read_email": lambda ids: (
        f"Thread ID: {ids[0]}\nSubject: The offer\nFrom: Anna <{ids[0]}@example.org>\nTo: me\nDate: today\n\nPlease answer." if ids else ""
    ),
    "save_draft": lambda ids: f"Email draft created successfully with ID: {ids[0]}" if ids else "Error: no draft",
    "send_reply": lambda ids: "Email sent successfully",
    "send_email": lambda ids: "Email sent successfully",
    "archive_email": lambda ids: "Email labels updated successfully",
    "trash_email": lambda ids: "Email labels updated successfully",
    "erase_email": lambda ids: "Email deleted successfully",
    "list_folders": lambda ids: "Allowed directories:\n/home/user",
    "search_files": lambda ids: "\n".join(f"/home/user/{each}.md" for each in ids) or "No matches found",
    "read_file": lambda ids: {"content": f"1 Risks\n{' '.join(ids)}"},
}
