@_spi(Baton) import BatonOperations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The body of an acting request: an object of JSON with known keys.
///
/// No body counts as an empty object.
struct RequestBody: Sendable {
    /// A value of JSON.
    enum Value: Decodable, Hashable, Sendable {
        case null
        case truth(Bool)
        case number(Double)
        case text(String)
        case list([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let truth = try? container.decode(Bool.self) {
                self = .truth(truth)
            } else if let list = try? container.decode([Value].self) {
                self = .list(list)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }
    }

    private let members: [String: Value]

    /// Reads a body.
    ///
    /// - Throws: a refusal with 400 of a body that is no object of JSON, or has other keys than the known ones.
    init(_ bytes: [UInt8], keys: [String]) throws(WebRefusal) {
        guard !bytes.isEmpty else {
            members = [:]
            return
        }
        do {
            members = try JSONDecoder().decode([String: Value].self, from: Data(bytes))
        } catch {
            throw WebRefusal(400, "usage", "The body is not an object of JSON.")
        }
        guard let unknown = members.keys.sorted().first(where: { !keys.contains($0) }) else { return }
        let known = keys.isEmpty ? "It takes none." : "It takes \(keys.joined(separator: ", "))."
        throw WebRefusal(400, "usage", "This address does not take \"\(unknown.asShown)\" in the body. \(known)")
    }

    /// Whether the body has a key.
    func has(_ key: String) -> Bool { members[key] != nil }

    /// A truth; nil if the body has none.
    func truth(_ key: String) throws(WebRefusal) -> Bool? {
        switch members[key] {
        case nil: return nil
        case .truth(let truth): return truth
        default: throw Self.malformed(key, "true or false")
        }
    }

    /// A whole number in a range; nil if the body has none.
    func number(_ key: String, in range: ClosedRange<Int>) throws(WebRefusal) -> Int? {
        guard let value = members[key] else { return nil }
        guard case .number(let number) = value, let whole = Int(exactly: number), range.contains(whole) else {
            throw Self.malformed(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    /// A number or null; nil if the body has neither.
    func numberOrNull(_ key: String, in range: ClosedRange<Int>) throws(WebRefusal) -> Int?? {
        if members[key] == .null { return .some(nil) }
        return try number(key, in: range).map { .some($0) }
    }

    /// A text; nil if the body has none.
    func text(_ key: String) throws(WebRefusal) -> String? {
        switch members[key] {
        case nil: return nil
        case .text(let text): return text
        default: throw Self.malformed(key, "a text")
        }
    }

    /// A list of texts; nil if the body has none.
    func texts(_ key: String) throws(WebRefusal) -> [String]? {
        guard let value = members[key] else { return nil }
        guard case .list(let list) = value else { throw Self.malformed(key, "a list of texts") }
        var texts: [String] = []
        for element in list {
            guard case .text(let text) = element else { throw Self.malformed(key, "a list of texts") }
            texts.append(text)
        }
        return texts
    }

    private static func malformed(_ key: String, _ expectation: String) -> WebRefusal {
        WebRefusal(400, "usage", "\"\(key)\" in the body has to be \(expectation).")
    }
}
