/// The steps of a request, all on the daemon's thread. Each returns false if the connection has to be closed.
extension HTTPEngine {
    func begins(_ target: String?, on connection: HTTPConnection, handle: HTTPConnectionHandle) -> HTTPExchange {
        let exchange = HTTPExchange(target: target, connection: connection, handle: handle, engine: self)
        connection.begin(exchange)
        return exchange
    }

    func ends(_ exchange: HTTPExchange, isAnswered: Bool) {
        exchange.connection.endRequest()
        exchange.end(isAnswered: isAnswered)
    }

    /// A part of the body has come.
    func comes(_ bytes: UnsafeRawBufferPointer, of exchange: HTTPExchange) -> Bool {
        switch exchange.step {
        case .refused: return true
        case .reading(_, let most):
            do throws(HTTPFailure) {
                try exchange.add(bytes, most: most)
                return true
            } catch {
                // The daemon takes no answer before the whole body has come, which a client can delay.
                exchange.connection.sendLast(lastAnswer(error))
                return false
            }
        case .new, .arrived, .handling, .answered, .answering, .over: return false
        }
    }

    /// The headers or the end of the request have come, or the connection was resumed.
    ///
    /// - Parameter isWhole: whether the library's view of the headers leaves nothing out; asked once, with the headers.
    func goes(
        on exchange: HTTPExchange,
        method: String,
        version: String,
        isWhole: @autoclosure () -> Bool
    ) -> Bool {
        switch exchange.step {
        case .new: return readHead(of: exchange, method: method, version: version, isWhole: isWhole())
        case .reading(let head, _):
            // A connection that is suspended while the daemon reads is read once more when it is resumed, and closed without the
            // answer if its client has closed its sending side. Without an answer here, the daemon stops reading and asks again.
            exchange.begin(.arrived(head))
            return true
        case .arrived(let head): return handle(exchange, head)
        case .refused(let response), .answered(let response):
            return send(response, on: exchange, isHead: method == "HEAD")
        case .handling, .answering: return true
        case .over: return false
        }
    }

    private func readHead(of exchange: HTTPExchange, method: String, version: String, isWhole: Bool) -> Bool {
        do throws(HTTPFailure) {
            guard exchange.handle.headerSize <= limits.mostHeaderBytes else {
                throw .headersTooLarge(most: limits.mostHeaderBytes)
            }
            guard isWhole else { throw .ambiguous }
            let head = try HTTPRequestHead(
                method: method,
                target: exchange.target ?? "",
                headers: exchange.handle.headers(),
                version: version,
                peer: exchange.connection.peer,
                isEncrypted: exchange.connection.isEncrypted
            )
            let length = try HTTPBodyLength(head.headers, version: version)
            // Readers disagree about the lines around chunks, and behind them.
            if length == .chunked { exchange.endConnection() }
            if let refusal = handler.refusal(of: head) { return refuse(exchange, refusal, head, length) }
            if handler.knowsSender(of: head) { exchange.connection.noteKnownSender() }
            if let failure = HTTPFailure(codingOf: head.headers) {
                var response = handler.response(to: failure)
                // What the client may send instead (RFC 9110, 15.5.16).
                response.headers["Accept-Encoding"] = "identity"
                return refuse(exchange, response, head, length)
            }
            let most = handler.mostBodyBytes(for: head)
            if case .bytes(let count) = length, count > most {
                return refuse(exchange, handler.response(to: .bodyTooLarge(most: most)), head, length)
            }
            exchange.connection.noteHead()
            exchange.begin(.reading(head, most: most))
            return true
        } catch {
            // The daemon closes the connection behind it: where this request ends may be uncertain.
            return send(handler.response(to: error), on: exchange, isHead: method == "HEAD")
        }
    }

    /// The library refuses a request whose headers it has read, before the handler was asked: answers in its place.
    ///
    /// The library does not say which request it is. Between the end of its headers and the first question to the handler, it looks at
    /// no other one.
    func libraryRefuses() {
        for connection in connections.all {
            guard let exchange = connection.exchange, case .new = exchange.step, exchange.handle.headerSize > 0 else {
                continue
            }
            connection.sendLast(lastAnswer(refusal(of: exchange)))
            // An encrypted answer is the library's: none is better than one with two heads.
            if connection.isEncrypted { connection.end() }
        }
    }

    /// The reason why a request with these headers is not taken by anybody.
    private func refusal(of exchange: HTTPExchange) -> HTTPFailure {
        do throws(HTTPFailure) {
            let headers = try exchange.handle.headers()
            _ = try HTTPBodyLength(headers)
            guard headers["Host"] != nil else { return .noHost }
            return headers["Cookie"] == nil ? .malformed : .cookiesTooLarge
        } catch {
            return error
        }
    }

    /// Refuses a request, and keeps the connection if the body is short; otherwise the daemon closes it behind the answer.
    private func refuse(
        _ exchange: HTTPExchange,
        _ response: HTTPResponse,
        _ head: HTTPRequestHead,
        _ length: HTTPBodyLength
    ) -> Bool {
        let isShort: Bool
        switch length {
        case .none: isShort = true
        // A client that expects an answer before it sends the body gets it now.
        case .bytes(let count): isShort = count <= limits.mostDroppedBytes && head.headers["Expect"] == nil
        case .chunked: isShort = false
        }
        guard isShort else { return send(response, on: exchange, isHead: head.method == "HEAD") }
        exchange.begin(.refused(response))
        return true
    }

    private func handle(_ exchange: HTTPExchange, _ head: HTTPRequestHead) -> Bool {
        guard exchange.connection.beginHandling() else { return false }
        exchange.delayStop()
        let request = HTTPRequest(head: head, body: exchange.takeBody(), streams: streams)
        let handler = handler
        exchange.handle { await handler.respond(to: request) }
        // A server that stops ends the listed requests. This request may have begun after the server read the list.
        if isStopping { stop(exchange) }
        return true
    }

    private func send(_ response: HTTPResponse, on exchange: HTTPExchange, isHead: Bool) -> Bool {
        guard exchange.connection.beginAnswer(isStream: response.stream != nil) else {
            response.stream?.discard()
            return false
        }
        exchange.delayStop()
        exchange.begin(.answering(response.stream))
        var response = response
        let endsConnection = isStopping || exchange.endsConnection
        if endsConnection { response.headers["Connection"] = "close" }
        if isStopping { response.stream?.stop() }
        do throws(HTTPFailure) {
            return try exchange.handle.queue(response, isHead: isHead)
        } catch {
            response.stream?.discard()
            var failed = handler.response(to: error)
            if endsConnection { failed.headers["Connection"] = "close" }
            return (try? exchange.handle.queue(failed, isHead: isHead)) ?? false
        }
    }
}
