@_spi(Baton) public import BatonOperations

/// The lead of a store on a server, which has to be proved again and again; a file has a lock instead.
@_spi(Baton) extension SQLStore {
    /// The session with the server; nil for a file.
    private var session: ServerSession? {
        switch engine {
        case .file: nil
        case .server(let session): session
        }
    }

    /// How long after a commit the lead has to be proved, if nothing is written meanwhile; nil for a file, and for a reader.
    public var proofInterval: Duration? { session?.lease.map { $0 / 4 } }

    /// Proves the lead by a commit that changes nothing.
    public func prove() throws(StoreError) {
        guard let session else { return }
        do throws(SQLError) {
            try session.prove()
        } catch {
            throw self.error(error)
        }
    }

    /// Called after each commit that proves the lead, with the moment from before it was sent.
    public var onProof: (@Sendable (Timestamp) -> Void)? {
        get { session?.onProof }
        set { session?.onProof = newValue }
    }

    /// Called while a call waits for a lost connection.
    public var onTrouble: (@Sendable (StoreError) -> Void)? {
        get { troubleHandler }
        set {
            guard let session else { return }
            troubleHandler = newValue
            guard let newValue else { return session.onTrouble = nil }
            session.onTrouble = { [server = session.server] error in newValue(StoreError(error, server: server)) }
        }
    }

    /// What another thread calls to end a call that waits for a lost connection; nil for a file, whose calls end by themselves.
    public func makeInterrupt() -> (@Sendable () -> Void)? { session?.makeInterrupt() }
}
