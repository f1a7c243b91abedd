@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Output {
    /// Writes a document to standard output, on a separate line.
    static func document(_ document: some Document) throws {
        try self.document(document.json)
    }

    /// Writes an object to standard output, on a separate line.
    static func document(_ members: (inout JSONWriter) -> Void) throws {
        var writer = JSONWriter()
        writer.beginObject()
        members(&writer)
        writer.endObject()
        try document(writer.bytes)
    }
}

/// Decodes documents from the coordinator for output as text.
enum DocumentReader {
    /// Reads a document.
    ///
    /// - Throws: ``CommandFailure`` if the document has a form unknown to this build.
    static func read<Wanted: Decodable>(_ type: Wanted.Type, from bytes: [UInt8]) throws(CommandFailure) -> Wanted {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw CommandFailure(
                ExitStatus.fault,
                code: "fault",
                "The coordinator's answer has a form that this version of baton (\(BatonVersion.current)) cannot read."
            )
        }
    }
}
