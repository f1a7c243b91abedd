@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// What a welcome changes beside the session.
extension WorkerLoop {
    /// Takes in a welcome, unless the session has not accepted it: it may be that of an earlier session, or of a coordinator that
    /// another one has replaced.
    func noteWelcome(_ welcome: Welcome) {
        connection?.hasAnswered = true
        guard shell.session.isWelcomed, shell.session.session == welcome.session else { return }
        runner.issuer = welcome.operations.flatMap { OperationIssuer(bytes: $0.bytes) }
        runner.record = welcome.record
        noteWelcome()
        options.logger.notice(
            "welcomed by the coordinator",
            metadata: ["epoch": "\(welcome.epoch)", "incarnation": "\(welcome.incarnation)"]
        )
        if !welcome.foreignAttempts.isEmpty {
            let tokens = welcome.foreignAttempts.map(\.fileName).joined(separator: ",")
            options.logger.warning(
                "the coordinator has another record: attempts of the earlier one are ended, their results kept",
                metadata: ["attempts": "\(tokens)"]
            )
        }
        if !welcome.staleAttempts.isEmpty {
            let tokens = welcome.staleAttempts.map(\.description).joined(separator: ",")
            options.logger.warning(
                "other workers got attempts of this worker in its absence: they are ended, their results dropped",
                metadata: ["attempts": "\(tokens)"]
            )
        }
        // A coordinator of version 1 knows of no files.
        guard welcome.protocolVersion >= 2 else { return }
        transfers.welcomed(welcome.session, at: address)
        options.keeper?.onWelcome()
    }
}
