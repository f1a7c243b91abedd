@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The files that go from worker to worker without the coordinator between them.
extension FileLoop {
    // MARK: - Giving

    /// Listens for other workers, and tells the outcome.
    func listen(at endpoint: DataEndpoint, _ outcome: PolledMailbox<Result<DataAddress, ZeroMQError>>) {
        do throws(ZeroMQError) {
            let made = try DataServer(
                at: endpoint,
                hasKeys: way.security != .none,
                giving: store,
                in: try usableContext(),
                poller: poller,
                letters: letters,
                logger: logger
            )
            server = made
            outcome.post(.success(made.address))
        } catch {
            outcome.post(.failure(error))
        }
    }

    /// Whether another worker can be given a piece now.
    var canServeDirectly: Bool { server?.canServe ?? false }

    /// Gives another worker the next piece.
    func serveDirectly() {
        do throws(ZeroMQError) {
            try server?.serve()
        } catch {
            logger.error("cannot send a file to another worker", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: - Fetching

    /// Takes in what other workers have sent.
    func receiveDirectly() {
        do throws(ZeroMQError) {
            try server?.receive(at: now)
        } catch {
            logger.error("cannot take requests of other workers for files", metadata: ["reason": "\(error)"])
        }
        let failed = links.receive(atMost: Self.messagesPerTurn, at: now) { passed, address in
            fetches.receive(passed.piece, number: passed.number, from: address, at: now)
        }
        for address in failed {
            if fetches.asksDirectly(address) {
                giveUp(address, because: "The connection ended, or something else than a piece of a file arrived.")
            } else {
                // A worker ends connections when it stops, also those that nobody uses: it may be back soon.
                links.close(address)
                fetches.holderClosed(address)
            }
        }
        links.closeIdle(at: now)
    }

    /// Asks another worker for a piece, unless that is of no use any more.
    func ask(_ request: DirectRequest, of address: DataAddress) {
        guard fetches.isOpen(request.number) else { return }
        do throws(HolderLinks.Obstacle) {
            if let closed = try links.ask(request, of: address, at: now, in: usableContext) {
                fetches.holderClosed(closed)
            }
        } catch {
            giveUp(address, because: error.description)
        }
    }

    /// Connects to another worker that was found.
    func finishSearch(for address: DataAddress, _ finding: ServerSearch.Finding) {
        do throws(HolderLinks.Obstacle) {
            try links.finishSearch(for: address, finding, in: usableContext)
        } catch {
            giveUp(address, because: error.description)
        }
    }

    /// Closes the connection to a worker that does not answer, whose files the coordinator is asked for.
    func leave(_ address: DataAddress) {
        links.close(address)
        logger.notice(
            "another worker does not send files directly; they come through the coordinator",
            metadata: ["at": "\(address.endpoint)", "reason": "It has not answered in time."]
        )
    }

    private func giveUp(_ address: DataAddress, because reason: String) {
        links.close(address)
        logger.notice(
            "another worker does not send files directly; they come through the coordinator",
            metadata: ["at": "\(address.endpoint)", "reason": "\(reason)"]
        )
        fetches.holderFailed(address, at: now)
    }

    /// Tells the coordinator how much has come directly since it was told last.
    func tellDirectBytes() {
        guard fetches.directBytes > toldDirectBytes, let connection, let session else { return }
        let message = WorkerMessage.directBytes(session, fetches.directBytes - toldDirectBytes)
        toldDirectBytes = fetches.directBytes
        do throws(ZeroMQError) {
            _ = try connection.socket.send(message.encoded())
        } catch {
            noteFailure(error)
        }
    }
}
