#!/bin/sh
# The running example of the CMTF paper (arXiv 2606.06284, section 4.4), then one goal on the real GitHub tools.
set -e

step() {
    printf '\n$ toolplan frontier'
    for argument in "$@"; do
        case $argument in
            *\(*) printf " '%s'" "$argument" ;;
            *) printf ' %s' "$argument" ;;
        esac
    done
    echo
    toolplan frontier "$@"
}

echo "Move tomorrow's dentist appointment to 4 PM, with 100 tools to choose from:"
step workspace --engine fast-downward --goal move_event --state date,event_description,new_time
echo
echo "The search has found the event:"
step workspace --engine fast-downward --goal move_event --state date,event_description,new_time,event_id
echo
echo "Re-run what failed in last night's run, on the tools of GitHub's MCP server:"
step github --engine fast-downward --goal 'retry_failed_run(site, nightly)' --state 'owner(site),repo(site),described_in(nightly, site)'
echo
echo "The failed run has been found:"
step github --engine fast-downward --goal 'retry_failed_run(site, nightly)' \
    --state 'owner(site),repo(site),described_in(nightly, site),run_id(nightly, site),failed(nightly),ended(nightly)'
