/// The addresses of one coordinator, or of several of which one leads, such as `tcp://a:7461,tcp://b:7461`.
///
/// The order is that of the text: it says which address is looked at first, and nothing about which coordinator leads.
@_spi(Baton) public struct EndpointList: Hashable, Sendable, CustomStringConvertible {
    /// The addresses as they were written, in their order, each once; at least one.
    public let endpoints: [String]

    /// The most addresses of a list.
    public static let maximumCount = 8

    private static let separator: Character = ","

    /// Takes a text apart at its commas; nil for a malformed one, on which ``advice(on:)`` tells more.
    ///
    /// White space around a comma, or at either end of a list with a comma, is dropped, and so is an address that was named before.
    public init?(_ text: String) {
        let parts = Self.parts(of: text)
        guard parts.count <= Self.maximumCount else { return nil }
        for part in parts where Endpoint(part, for: .connecting) == nil { return nil }
        endpoints = parts
    }

    /// Takes a text apart as ``init(_:)`` does; a malformed text becomes the only address, which nobody can connect to.
    public init(asGiven text: String) {
        self = EndpointList(text) ?? EndpointList([text])
    }

    private init(_ endpoints: [String]) {
        self.endpoints = endpoints
    }

    /// The reason why a text is no list of addresses, and the right form, as the end of a text; nil for a valid list.
    ///
    /// In a list of several, the reason begins with the address that is wrong.
    public static func advice(on text: String) -> String? {
        let parts = parts(of: text)
        guard parts.count <= maximumCount else { return "at most \(maximumCount) addresses can be given." }
        for part in parts {
            guard let advice = Endpoint.advice(on: part, for: .connecting) else { continue }
            guard text.contains(separator) else { return advice }
            guard !part.isEmpty else { return "an address is missing next to a comma." }
            let isPrintable = part.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            return "in \(isPrintable ? part : "one of its addresses"), \(advice)"
        }
        return nil
    }

    /// The addresses with commas between them.
    public var description: String { endpoints.joined(separator: String(Self.separator)) }

    /// Whether an address is one of the list, as it is written there.
    public func contains(_ endpoint: String) -> Bool { endpoints.contains(endpoint) }

    /// Whether all addresses of the list are addresses of another one, as they are written there.
    public func isPart(of other: EndpointList) -> Bool { endpoints.allSatisfy { other.contains($0) } }

    /// The parts between the commas without white space around them, each once.
    ///
    /// White space around a single address stays: it is an error there, as everywhere else.
    private static func parts(of text: String) -> [String] {
        guard text.contains(separator) else { return [text] }
        var parts: [String] = []
        for part in text.split(separator: separator, omittingEmptySubsequences: false) {
            let trimmed = trimmed(part)
            if !parts.contains(trimmed) { parts.append(trimmed) }
            if parts.count > maximumCount { break }
        }
        return parts
    }

    private static func trimmed(_ part: Substring) -> String {
        let start = part.drop(while: \.isWhitespace)
        let end = start.lastIndex { !$0.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }
}
