/// The grammar of a text.
@_spi(Baton) public enum JSONDialect: Sendable {
    /// JSON as in RFC 8259, for texts that programs write.
    case json
    /// JSON with the additions of JSON5 (spec.json5.org), for texts that people write.
    ///
    /// Keys without quotes cannot contain escapes.
    case json5
}
