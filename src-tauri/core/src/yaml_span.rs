//! YAML edits by byte span. STUB.
