@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension Route {
    /// What operations print.
    static var ofOutputs: [Route] { [log, followedLog] }

    private static var log: Route {
        Route(
            .get,
            "/api/v1/operations/{job}/{operation}/log",
            """
            A piece of the output of an attempt, with its place in the headers Baton-Log-Offset and Baton-Log-Length. Bytes that are \
            no longer kept, or whose worker is not connected, give 206 and the piece behind them, or 410 if nothing is left, also if \
            nobody knows how much there was; of an executing attempt, a worker that does not answer gives 503.
            """,
            query: [
                .stream,
                QueryParameter(
                    "attempt",
                    .integer(1...UInt64(UInt32.max)),
                    "The attempt; the last one if not given."
                ),
                .offset,
                QueryParameter(
                    "limit",
                    .integer(1...UInt64(OutputChunk.maximumLength)),
                    "The most bytes; 1 MiB if not given."
                ),
            ],
            answer: .text,
            answerHeaders: [.logOffset, .logLength]
        ) { context throws(WebRefusal) in
            let query = context.query
            let operation = try await context.singleOperation()
            let offset = query.number("offset") ?? 0
            let limit = UInt32(clamping: query.number("limit") ?? UInt64(OutputChunk.maximumLength))
            let reply: Reply
            do throws(WebRefusal) {
                reply = try await context.ask(
                    .log(operation, attempt: query.attempt, query.stream, offset: offset, limit: limit)
                )
            } catch {
                guard error.code == Refusal.Code.unavailable.rawValue, error.status == 404 else { throw error }
                throw WebRefusal(503, error.code, error.message, headers: ["Retry-After": "10"])
            }
            guard case .output(let chunk) = reply else { throw .unexpected }
            if chunk.totalLength == 0, chunk.isComplete, let lost = await context.lostAttempt(of: operation) {
                throw WebRefusal(410, "gone", "The output of attempt \(lost) of \(operation) was lost with its worker.")
            }
            var response = HTTPResponse(type: "text/plain; charset=utf-8", chunk.bytes)
            let end = chunk.offset + UInt64(chunk.bytes.count)
            // The file of an attempt that has ended may have lost its end.
            let isCut = chunk.isComplete && end < chunk.totalLength && chunk.bytes.count < Int(limit)
            if chunk.offset > offset || isCut {
                guard !chunk.bytes.isEmpty else {
                    let sentence =
                        "The \(chunk.totalLength) bytes of this output are no longer kept, or their worker is not connected."
                    throw WebRefusal(410, "gone", sentence)
                }
                response.status = 206
                response.headers.add(.contentRange, "bytes \(chunk.offset)-\(end - 1)/\(chunk.totalLength)")
            }
            response.headers.add(.logOffset, "\(chunk.offset)")
            response.headers.add(.logLength, "\(chunk.totalLength)")
            return response
        }
    }

    private static var followedLog: Route {
        Route(
            .get,
            "/api/v1/operations/{job}/{operation}/log/follow",
            """
            The output of an operation as it comes: an event output for each piece, and an event end with the outcome behind \
            the last one. In front of the end stands an event lost for each attempt whose output was lost with its worker. The \
            header Last-Event-ID goes on behind an event, and counts before the query.
            """,
            query: [
                .stream,
                QueryParameter(
                    "attempt",
                    .integer(1...UInt64(UInt32.max)),
                    "This attempt alone; if not given, the present or last one and those that follow it."
                ),
                .offset,
            ],
            headers: [.lastEventID],
            answer: .events
        ) { context throws(WebRefusal) in
            let operation = try await context.operationDocument()
            var position = LogPosition(
                attempt: context.query.attempt ?? max(1, operation.attempt),
                offset: context.query.number("offset") ?? 0
            )
            if let last = try context.header(.lastEventID) {
                guard let place = LogPosition(last) else {
                    throw WebRefusal(
                        400,
                        "usage",
                        "The header Last-Event-ID has to be the id of an event of a log."
                    )
                }
                position = place
            }
            return try await LogStream.response(
                to: context,
                of: operation,
                context.query.stream,
                from: position,
                isOneAttempt: context.query.attempt != nil
            )
        }
    }
}

extension RouteContext {
    /// The document of the operation in the path.
    ///
    /// - Throws: the refusal of the name of an array, which is no single operation.
    func operationDocument() async throws(WebRefusal) -> OperationDocument {
        let address = try operation
        let bytes = try await document(.operation(address))
        guard ArrayDocument.isDocument(bytes) else { return try OperationDocument.read(bytes) }
        let array = try ArrayDocument.read(bytes)
        let (first, end) = (array.operations.lowerBound, array.operations.upperBound)
        // As the coordinator refuses the result of an array.
        throw WebRefusal(
            422,
            Refusal.Code.invalid.rawValue,
            "\(address.asShown) is an array of \(array.count) operations. Name one of them, from \(address.job)/\(first) to "
                + "\(address.job)/\(end == first ? end : end - 1)."
        )
    }

    /// The attempt that the query is about, if it was lost with its worker.
    fileprivate func lostAttempt(of operation: Address) async -> UInt32? {
        guard let bytes = try? await document(.operation(operation)), let document = try? OperationDocument.read(bytes)
        else {
            return nil
        }
        let number = query.attempt ?? document.attempt
        return document.lostOutputs?.contains(number) == true ? number : nil
    }

    /// The address in the path, which is that of a single operation.
    ///
    /// - Throws: the refusal of the name of an array.
    func singleOperation() async throws(WebRefusal) -> Address {
        let address = try operation
        if case .named = address { return .operation(try await operationDocument().operation) }
        return address
    }
}

extension RouteQuery {
    /// The stream of an output.
    fileprivate var stream: OutputStream { text("stream") == "stderr" ? .standardError : .standardOutput }

    /// The number of an attempt; nil if the request has none.
    fileprivate var attempt: UInt32? { number("attempt").map { UInt32(clamping: $0) } }
}

extension QueryParameter {
    fileprivate static let stream = QueryParameter(
        "stream",
        .words(["stdout", "stderr"]),
        "The stream; stdout if not given."
    )
    fileprivate static let offset = QueryParameter(
        "offset",
        .integer(0...UInt64.max),
        "The first byte; 0 if not given."
    )
}
