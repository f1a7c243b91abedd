@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension Route {
    /// The files that operations leave.
    static var ofFiles: [Route] { [filesOfJob, filesOfOperation, file] }

    private static let from = QueryParameter(
        "from",
        .integer(0...UInt64(UInt32.max)),
        "Where the page begins: \"next\" of the page before; 0 if not given."
    )

    private static var filesOfJob: Route {
        Route(
            "/api/v1/jobs/{job}/files",
            "A page of the files that the operations of a job have left, as \"baton files\" lists them.",
            query: [from, .limit],
            aging: AnswerDocument(FilesDocument.self)
        ) { context throws(WebRefusal) in try await context.files(of: .job(try context.job)) }
    }

    private static var filesOfOperation: Route {
        Route(
            "/api/v1/operations/{job}/{operation}/files",
            "A page of the files that an operation has left, as \"baton files\" lists them.",
            query: [from, .limit],
            aging: AnswerDocument(FilesDocument.self)
        ) { context throws(WebRefusal) in try await context.files(of: try context.operation) }
    }

    private static var file: Route {
        Route(
            .get,
            "/api/v1/operations/{job}/{operation}/files/{path}",
            """
            The bytes of a file that an operation has left, or the part that the header Range names. The ETag is the SHA-256 of the \
            whole file, in hexadecimal digits. A file without a copy at a connected worker gives 503. An answer that is cut off, \
            because its bytes can no longer be had, ends before its Content-Length.
            """,
            headers: [.range, .ifRange, .ifNoneMatch],
            answer: .bytes,
            answerHeaders: [.tag, .acceptRanges, .disposition]
        ) { context throws(WebRefusal) in
            let operation = try await context.singleOperation()
            let file = try await context.file(at: context.values[.path] ?? "", of: operation)
            guard let digest = file.digest else {
                throw WebRefusal(
                    Refusal(.notAllowed, "A viewer's token shows the names of files, and not their bytes.")
                )
            }
            let tag = FileTag(digest: digest)
            guard !tag.isKnown(by: try context.header(.ifNoneMatch)) else {
                var response = HTTPResponse(status: 304, type: Route.Answer.bytes.type, [])
                response.headers.add(.tag, tag.text)
                return response
            }
            let size = UInt64(clamping: file.size)
            let range = try context.range(of: size, tag)
            var response = HTTPResponse(type: Route.Answer.bytes.type, []).sandboxed
            response.headers.add(.tag, tag.text)
            response.headers.add(.acceptRanges, "bytes")
            response.headers.add(.disposition, AnswerFileName(file.path).disposition)
            if let range {
                response.status = 206
                response.headers.add(.contentRange, "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
            }
            let wanted = range ?? 0..<size
            // An empty file has nothing to ask for.
            guard !wanted.isEmpty else { return response }
            let stream = try await FileStream.open(for: context, operation, file.path, size: size, wanted)
            response.body = .stream(stream)
            response.length = UInt64(wanted.count)
            return response
        }
    }
}

extension RouteContext {
    /// The page of files in the query.
    fileprivate func files(of address: Address) async throws(WebRefusal) -> [UInt8] {
        let from = UInt32(clamping: query.number("from") ?? 0)
        return try await document(.files(address, from: from, limit: query.limit))
    }

    /// A file of an operation by its path.
    ///
    /// - Throws: a refusal with 404 if the operation has no such file.
    fileprivate func file(at path: String, of operation: Address) async throws(WebRefusal) -> FileDocument {
        var next: UInt32? = 0
        while let from = next {
            let page = try FilesDocument.read(try await document(.files(operation, from: from, limit: 1000)))
            // Two paths that look alike, with an accent in one character or in two, are two files.
            if let file = page.files.first(where: { $0.path.utf8.elementsEqual(path.utf8) }) { return file }
            next = page.next.flatMap { $0 > from ? $0 : nil }
        }
        throw WebRefusal(404, "notFound", "\(operation.asShown) has left no file \"\(path.asShown)\".")
    }

    /// The part that is wanted; nil for the whole file.
    ///
    /// - Throws: a refusal with 416 of a part that the file does not have.
    fileprivate func range(of size: UInt64, _ tag: FileTag) throws(WebRefusal) -> Range<UInt64>? {
        // A part is for GET alone (RFC 9110, section 14.2).
        guard let header = try self.header(.range), request.head.method == "GET",
            tag.admitsPart(of: try self.header(.ifRange))
        else { return nil }
        switch ByteRange(header, size: size) {
        case .whole: return nil
        case .part(let range): return range
        case .unsatisfiable:
            throw WebRefusal(
                416,
                "usage",
                "The file has \(size) bytes, and none of those that the header Range names.",
                headers: ["Content-Range": "bytes */\(size)"]
            )
        }
    }
}
