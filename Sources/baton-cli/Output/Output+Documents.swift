@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonTexts

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

/// Decodes documents from the coordinator.
enum DocumentReader {
    /// Reads a document for output as text: others wrote its texts, and all of them are made printable.
    ///
    /// - Parameter isExact: whether the texts stay as they are, because the document is written as JSON again.
    /// - Throws: ``CommandFailure`` if the document has a form unknown to this build.
    static func read<Wanted: Document>(
        _ type: Wanted.Type,
        from bytes: [UInt8],
        isExact: Bool = false
    ) throws(CommandFailure) -> Wanted {
        var document = try exact(type, from: bytes)
        if !isExact { document.changeTexts(PrintableText.of) }
        return document
    }

    /// Reads a document, or a part of one, for a program: its texts stay as they are.
    ///
    /// - Throws: ``CommandFailure`` if the document has a form unknown to this build.
    static func exact<Wanted: Decodable>(_ type: Wanted.Type, from bytes: [UInt8]) throws(CommandFailure) -> Wanted {
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
