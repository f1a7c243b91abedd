@_spi(Baton) extension SQLStore {
    /// Keeps the sealed table of keys for coordinators that stand by.
    ///
    /// Has no effect on a record in a file, whose keys are on the same host.
    ///
    /// The write is a transaction of its own, with the fence of each commit. Call on the recorder's thread, outside of a commit.
    public func keep(sealedKeys text: String) throws(StoreError) {
        guard case .server(let session) = engine else { return }
        do throws(SQLError) {
            var parameters = ServerParameters()
            try parameters.append(.text(Array(text.utf8)), as: .text)
            try session.transaction { () throws(SQLError) in
                try session.current.open().send(KeyTableRow.keep, parameters, [.text])
            }
        } catch {
            throw StoreError(error, server: session.server)
        }
    }

    /// The sealed table of keys in a record on a server; nil without one, and if the server does not say.
    public var sealedKeys: String? {
        guard case .server(let session) = engine else { return nil }
        return try? KeyTableRow.sealed(session.current)
    }
}
