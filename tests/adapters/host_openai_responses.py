"""A hand-written loop over the client of this vendor, for the conformance suite."""

from __future__ import annotations

from adapters.vendors import ResponsesVendor, VendorHost

HOST = VendorHost(ResponsesVendor, ("allow", "dispatch", "trim"), cannot={})
