@_spi(Baton) import BatonOperations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The body of an acting request: an object of JSON with known members.
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
    /// - Parameters:
    ///   - bytes: the body.
    ///   - known: the members that it may have.
    ///   - least: how many of them it has to have at least.
    /// - Throws: a refusal with 400 of a body that is no object of JSON, has other members than the known ones, has malformed values,
    ///   or lacks members.
    init(_ bytes: [UInt8], _ known: [BodyMember], least: Int = 0) throws(WebRefusal) {
        do {
            members = bytes.isEmpty ? [:] : try JSONDecoder().decode([String: Value].self, from: Data(bytes))
        } catch {
            throw WebRefusal(400, "usage", "The body is not an object of JSON.")
        }
        if let unknown = members.keys.sorted().first(where: { key in !known.contains { $0.name == key } }) {
            let names = known.isEmpty ? "It takes none." : "It takes \(known.map(\.name).joined(separator: ", "))."
            throw WebRefusal(400, "usage", "This address does not take \"\(unknown.asShown)\" in the body. \(names)")
        }
        for member in known {
            if let value = members[member.name] {
                guard !member.admits(value) else { continue }
                throw WebRefusal(400, "usage", "\"\(member.name)\" in the body has to be \(member.expectation).")
            } else if member.isRequired {
                throw WebRefusal(400, "usage", "The body needs \"\(member.name)\", \(member.expectation).")
            }
        }
        guard members.count >= least else {
            let names = known.map { "\"\($0.name)\"" }.joined(separator: " or ")
            throw WebRefusal(400, "usage", "The body needs \(names).")
        }
    }

    /// Whether the body has a member.
    func has(_ name: String) -> Bool { members[name] != nil }

    /// A truth; nil if the body has none.
    func truth(_ name: String) -> Bool? {
        if case .truth(let truth)? = members[name] { truth } else { nil }
    }

    /// A whole number; nil if the body has none, or null.
    func number(_ name: String) -> Int? {
        if case .number(let number)? = members[name] { Int(exactly: number) } else { nil }
    }

    /// A text; nil if the body has none.
    func text(_ name: String) -> String? {
        if case .text(let text)? = members[name] { text } else { nil }
    }

    /// A list of texts; empty if the body has none.
    func texts(_ name: String) -> [String] {
        guard case .list(let list)? = members[name] else { return [] }
        return list.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}
