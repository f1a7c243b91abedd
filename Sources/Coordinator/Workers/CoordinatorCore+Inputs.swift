@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Sends the results of dependencies to the workers that need them as inputs.
///
/// An operation may have any number of inputs of up to a mebibyte each. The coordinator therefore reads inputs in pieces, and
/// reads the next piece when the worker has read the earlier pieces.
extension CoordinatorCore {
    /// Reads the inputs that waited for room, as far as the budget has room now.
    func serveWaitingInputs() {
        guard !inputs.isEmpty else { return }
        for session in inputs.sessions.sorted(by: { $0.rawValue < $1.rawValue }) { serveInputs(of: session) }
    }

    /// Whether any inputs that waited for room have room now.
    var canServeInputs: Bool {
        !inputs.isEmpty && inputs.sessions.contains { workers[$0].map { admission.hasRoomForInputs(to: $0) } ?? true }
    }

    /// Reads a worker's inputs at the pace of the worker, after all earlier changes are committed.
    func serveInputs(of session: SessionID) {
        guard scheduler.isCurrent(session), let peer = workers[session] else {
            return inputs.dropWaiting(of: session)
        }
        while let wanted = inputs.first(of: session), admission.hasRoomForInputs(to: peer) {
            inputs.removeFirst(of: session)
            // The attempt may have ended since the request: then nobody waits for its inputs.
            guard possession(of: wanted.token, wanted.operation, in: session) == .held else {
                inputs.close(by: session)
                continue
            }
            admission.reserveInputs(to: peer)
            readInputs(wanted, from: peer)
        }
    }

    private func readInputs(_ wanted: UnsentInputs, from peer: RoutingID) {
        let logger = logger
        read { store throws(StoreError) -> (message: [UInt8], inputs: UnsentInputs, hasMore: Bool) in
            var inputs = wanted
            inputs.peer = peer
            let message = try inputs.nextMessage(from: store)
            return (message.encoded(), inputs, !inputs.isOver)
        } then: { result in
            switch result {
            case .success(let piece): return .sendInputs(piece.message, piece.inputs, hasMore: piece.hasMore)
            case .failure(let error):
                logger.error(
                    "inputs cannot be read",
                    metadata: ["operation": "\(wanted.operation)", "error": "\(error)"]
                )
                var unread = wanted
                unread.peer = peer
                return .inputsUnread(unread)
            }
        }
    }

    /// Sends a message of inputs, and schedules the rest of the inputs for a later turn.
    func send(_ message: [UInt8], of sent: UnsentInputs, hasMore: Bool) {
        returnRoom(of: sent)
        guard let peer = workers[sent.session] else { return inputs.close(by: sent.session) }
        send(message, to: peer)
        if hasMore { inputs.append(sent) } else { inputs.close(by: sent.session) }
    }

    /// Keeps the request for inputs that could not be read.
    func noteUnread(_ unread: UnsentInputs) {
        returnRoom(of: unread)
        inputs.put(off: unread)
    }

    /// Serves the requests for inputs that were put off, since a worker asks only once and then waits.
    func servePutOffInputs() {
        for wanted in inputs.takePutOff() {
            if possession(of: wanted.token, wanted.operation, in: wanted.session) == .claimed {
                inputs.put(off: wanted)
            } else {
                inputs.append(wanted)
                serveInputs(of: wanted.session)
            }
        }
    }

    private func returnRoom(of inputs: UnsentInputs) {
        guard let peer = inputs.peer else { failInvariant("Inputs were read without room for their message.") }
        admission.returnInputs(of: peer)
    }
}

extension UnsentInputs {
    /// Reads the next message of inputs: the files first, whose bytes do not come from the record.
    fileprivate mutating func nextMessage(from store: any Store) throws(StoreError) -> CoordinatorMessage {
        let sources = try known(to: store)
        self.sources = sources
        var length = 0
        switch sources {
        case .files(let inputs):
            if knowsFiles, sentFiles < inputs.files.count { return nextFiles(of: inputs.files) }
            var piece: [Input] = []
            while sent < inputs.results.count {
                let file = inputs.results[sent]
                if let bytes = try store.result(of: file.operation) {
                    guard Self.takeRoom(bytes.count, of: &length) else { break }
                    piece.append(Input(name: file.fileName, bytes: bytes))
                }
                sent += 1
            }
            isOver = sent == inputs.results.count
            return .inputs(token, piece, isLast: isOver)
        case .typed(let dependencies):
            let first = UInt32(clamping: sent)
            var piece: [TypedInput] = []
            while sent < dependencies.count {
                let dependency = dependencies[sent]
                let result = dependency.hasResult ? try store.result(of: dependency.operation) : nil
                guard Self.takeRoom(result?.count ?? 0, of: &length) else { break }
                piece.append(
                    TypedInput(
                        operation: dependency.operation,
                        name: dependency.name,
                        type: dependency.type,
                        outcome: dependency.outcome,
                        result: result
                    )
                )
                sent += 1
            }
            isOver = sent == dependencies.count
            return .typedInputs(token, first: first, piece, isLast: isOver)
        }
    }

    /// Names the next files to the worker; a message for the results always follows.
    private mutating func nextFiles(of files: [InputFile]) -> CoordinatorMessage {
        var length = 0
        let first = sentFiles
        while sentFiles < files.count {
            let (folder, path) = (files[sentFiles].folder.utf8.count, files[sentFiles].file.path.utf8.count)
            guard Self.takeRoom(folder + path, of: &length) else { break }
            sentFiles += 1
        }
        return .inputFiles(token, Array(files[first..<sentFiles]))
    }

    private func known(to store: any Store) throws(StoreError) -> Sources {
        if let sources { return sources }
        switch form {
        case .files(let naming): return .files(try store.inputs(of: operation, calledBy: naming))
        case .typed: return .typed(try store.finishedDependencies(of: operation))
        }
    }

    /// Adds an input to a message, unless the message would become too long.
    ///
    /// - Returns: whether the message has room for the input.
    private static func takeRoom(_ bytes: Int, of length: inout Int) -> Bool {
        guard length == 0 || length + bytes + overhead <= mostOfMessage else { return false }
        length += bytes + overhead
        return true
    }
}
