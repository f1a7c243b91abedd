@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The body of an acting request: an object of JSON with known members.
///
/// No body counts as an empty object.
struct RequestBody: Sendable {
    private let members: [String: JSONValue]

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - bytes: the body.
    ///   - known: the members that it may have.
    ///   - least: how many of them it has to have at least.
    /// - Throws: a refusal with 400 of a body that is no object of JSON, has a key twice or other members than the known ones, has
    ///   malformed values, or lacks members.
    init(_ bytes: [UInt8], _ known: [BodyMember], least: Int = 0) throws(WebRefusal) {
        members = bytes.isEmpty ? [:] : try Self.members(of: bytes)
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

    private static func members(of bytes: [UInt8]) throws(WebRefusal) -> [String: JSONValue] {
        var tree = JSONTree(bytes: bytes, dialect: .json, partName: "body")
        do throws(JSONSyntaxError) {
            if try tree.parse(bytes.indices), case .object(let members) = try tree.value(at: 0) { return members }
        } catch {
            let (line, column) = tree.location(of: error.offset)
            throw WebRefusal(
                400,
                "usage",
                "The body is no JSON that can be read: \(line):\(column): \(error.message.asShown)."
            )
        }
        throw WebRefusal(400, "usage", "The body is not an object of JSON.")
    }

    /// Whether the body has a member.
    func has(_ name: String) -> Bool { members[name] != nil }

    /// A truth; nil if the body has none.
    func truth(_ name: String) -> Bool? {
        if case .truth(let truth)? = members[name] { truth } else { nil }
    }

    /// A whole number; nil if the body has none, or null.
    func number(_ name: String) -> Int? {
        members[name]?.wholeNumber
    }

    /// A text; nil if the body has none.
    func text(_ name: String) -> String? {
        if case .string(let text)? = members[name] { text } else { nil }
    }

    /// A list of texts; empty if the body has none.
    func texts(_ name: String) -> [String] { members[name]?.strings ?? [] }
}

extension JSONValue {
    /// A number without a fraction, which may be written as `4.0`; nil for any other value.
    var wholeNumber: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }
}
