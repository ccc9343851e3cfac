//! JSON edits by byte span. STUB.
