/// Where and how spans are exported, from an option and the environment variables of OpenTelemetry.
@_spi(Baton) public struct TraceSettings: Hashable, Sendable {
    /// The address to which spans are posted.
    public var endpoint: TraceEndpoint
    /// The further headers of each request, in order.
    public var headers: [TraceHeader]

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - option: the endpoint that the user has given, which counts before the environment; nil for none.
    ///   - variable: returns a variable of the environment; nil for one that is not set, or empty.
    /// - Throws: ``TraceSettingsError`` for a setting that cannot be used.
    public init(endpoint option: String?, variable: (String) -> String?) throws(TraceSettingsError) {
        if let option {
            endpoint = try TraceEndpoint(option, from: "--endpoint")
        } else if let whole = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
            endpoint = try TraceEndpoint(whole, isWhole: true, from: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        } else if let base = variable("OTEL_EXPORTER_OTLP_ENDPOINT") {
            endpoint = try TraceEndpoint(base, from: "OTEL_EXPORTER_OTLP_ENDPOINT")
        } else {
            endpoint = try TraceEndpoint(TraceEndpoint.standard, from: "--endpoint")
        }
        var headers: [TraceHeader] = []
        for name in ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"] {
            guard let text = variable(name) else { continue }
            for header in try TraceHeader.list(text, from: name) {
                headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
                headers.append(header)
            }
        }
        self.headers = headers
    }
}

/// A header of a request.
@_spi(Baton) public struct TraceHeader: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value, which may be a secret.
    public var value: String

    /// Names a header with its value.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The headers that the exporter sets itself.
    private static let ownNames: Set<String> = [
        "host", "content-type", "content-length", "content-encoding", "transfer-encoding", "connection", "expect",
    ]
    private static let tokenCharacters = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    /// Reads headers in the form `name=value,name2=value2`, with percent-encoded values.
    ///
    /// - Parameter source: the variable, for the sentence of an error, which never has a value.
    /// - Throws: ``TraceSettingsError`` for another form, and for a header that a request cannot have.
    static func list(_ text: String, from source: String) throws(TraceSettingsError) -> [TraceHeader] {
        var headers: [TraceHeader] = []
        for (position, part) in text.split(separator: ",").enumerated() {
            let pair = trimmed(part)
            if pair.isEmpty { continue }
            guard let sign = pair.firstIndex(of: "=") else {
                throw TraceSettingsError(
                    "Header \(position + 1) in \(source) has no equals sign. Give headers such as authorization=Bearer%20TOKEN."
                )
            }
            let name = String(trimmed(pair[..<sign]))
            guard !name.isEmpty, name.lowercased().utf8.allSatisfy(tokenCharacters.contains) else {
                throw TraceSettingsError(
                    "Header \(position + 1) in \(source) has a name that no header can have. Use letters, digits and hyphens."
                )
            }
            guard !ownNames.contains(name.lowercased()) else {
                throw TraceSettingsError("\(source) has the header \(name), which baton sets itself. Leave it out.")
            }
            guard let value = decoded(trimmed(pair[pair.index(after: sign)...])),
                !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
            else {
                throw TraceSettingsError(
                    "The value of the header \(name) in \(source) is not percent-encoded text without control characters. Write %25 for a "
                        + "percent sign, and %2C for a comma."
                )
            }
            headers.append(TraceHeader(name: name, value: value))
        }
        return headers
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    /// A text without its percent-encoding; nil for bytes that are no UTF-8, and for a percent sign without two digits.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let number = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(number)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
