@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Document {
    /// Reads a document that the coordinator has written.
    static func read(_ bytes: [UInt8]) throws(WebRefusal) -> Self {
        do {
            return try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            throw .unexpected
        }
    }
}

extension [UInt8] {
    /// A JSON object with further members behind its own.
    func withMembers(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return dropLast() + [UInt8(ascii: ",")] + writer.bytes.dropFirst()
    }
}
