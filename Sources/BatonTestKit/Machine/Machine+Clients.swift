@_spi(Baton) import BatonClient
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The clients: their requests, and the replies.
extension Machine {
    /// Adds a client with a connection of its own.
    func addClient() -> Int {
        let number = nextNumber()
        guard !isOver else { return number }
        clients[number] = ClientLine(peer: connect(.client(number)))
        return number
    }

    /// Sends a request.
    ///
    /// - Parameter message: the decoded message.
    func send(_ request: OutstandingRequest, _ message: ReceivedMessage, ofClient number: Int) {
        guard let peer = clients[number]?.peer else { return fail([request], .closed) }
        let now = now
        clients[number]?.add(request, at: now)
        arrivals.append((message, peer))
    }

    /// Gives up a request.
    func forget(_ request: UInt64, ofClient number: Int) {
        if let removed = clients[number]?.remove(request) { fail([removed], .cancelled) }
    }

    /// Ends a client; its requests fail.
    func close(client number: Int) {
        guard var line = clients.removeValue(forKey: number) else { return }
        disconnect(line.peer)
        fail(line.removeAll(), .closed)
    }

    /// Sends the requests of a client to a coordinator that has been restarted.
    func reconnect(client number: Int) {
        guard var line = clients[number] else { return }
        let (uncertain, repeated) = line.reconnect(to: connect(.client(number)))
        clients[number] = line
        fail(uncertain, .submissionUnanswered(endpoint))
        for bytes in repeated {
            arrivals.append((bytes.withUnsafeBytes { ReceivedMessage(decoding: $0) }, line.peer))
        }
    }

    /// Fails the requests of a client whose time limits are over.
    func giveUpLateRequests(ofClient number: Int) {
        let now = now
        for request in clients[number]?.removeLate(at: now) ?? [] {
            let error = ClientError.timedOut(endpoint, after: request.timeout ?? .zero)
            fail([request], request.isRepeatable ? error : .submissionUnanswered(endpoint))
        }
    }

    func receive(_ bytes: [UInt8], byClient number: Int) {
        do {
            let message = try bytes.withUnsafeBytes { try ClientReply(decoding: $0) }
            // A request may have been given up meanwhile.
            guard case .reply(let request, let reply) = message, let answered = clients[number]?.remove(request) else {
                return
            }
            errands.append(.answer(answered.completion, .success(reply)))
        } catch {
            fail(clients[number]?.removeAll() ?? [], .malformedReply("\(error)"))
        }
    }

    private func fail(_ requests: [OutstandingRequest], _ error: ClientError) {
        for request in requests { errands.append(.answer(request.completion, .failure(error))) }
    }
}
