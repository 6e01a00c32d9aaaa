"""A hand-written loop over the client of this vendor, for the conformance suite."""

from __future__ import annotations

from adapters.vendors import GeminiVendor, VendorHost

HOST = VendorHost(GeminiVendor, ("allow", "dispatch", "trim"), cannot={})
