@_spi(Baton) @testable import Baton

/// An operation whose output is Codable, and that has no line about a codec.
struct Area: ClusterOperation, Equatable {
    static let typeName = "area"
    var width: Double
    var height: Double

    func run(in context: OperationContext) async throws -> [String: Double] {
        ["width": width, "area": width * height]
    }
}

/// An operation without output.
struct Touch: ClusterOperation {
    static let typeName = "touch"

    func run(in context: OperationContext) async throws {}
}

/// An operation with codecs of its own, and an output that is not Codable.
struct Spell: ClusterOperation {
    /// The error for bytes that are no spell.
    struct Misspelt: Error, CustomStringConvertible {
        var description = "There is a letter too many."
    }

    /// Letters.
    struct Letters: Sendable {
        var letters: [Character]
    }

    static let typeName = "spell"
    var word: String

    func run(in context: OperationContext) async throws -> Letters { Letters(letters: Array(word)) }

    func encoded() throws -> [UInt8] { Array(word.utf8) }

    static func decoded(from bytes: [UInt8]) throws -> Spell { Spell(word: String(decoding: bytes, as: UTF8.self)) }

    static func encodeOutput(_ output: Letters) throws -> [UInt8]? {
        guard output.letters.count < 10 else { throw Misspelt() }
        return Array(String(output.letters).utf8)
    }

    static func decodeOutput(from bytes: [UInt8]?) throws -> Letters {
        guard let bytes, bytes.count < 10 else { throw Misspelt() }
        return Letters(letters: Array(String(decoding: bytes, as: UTF8.self)))
    }
}
