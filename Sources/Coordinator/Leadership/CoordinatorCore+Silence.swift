@_spi(Baton) import BatonLogging
@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonScheduler

/// The silence of a leader that cannot prove its lease.
extension CoordinatorCore {
    /// Whether this leader cannot prove its lease.
    var isSilent: Bool { silentSince != nil }

    /// Notes whether this leader can prove its lease: until it can, nothing that comes from peers or from the clock is decided.
    ///
    /// Pass no message of a peer to a silent core. Commits, and what they lead to, go on.
    package func setSilent(_ isSilent: Bool, at now: Timestamp) {
        guard isSilent != self.isSilent else { return }
        note(now)
        if let silentSince {
            // Nobody is lost for a silence of ours: what the workers have sent meanwhile is read first.
            lateness.wasSilent(from: silentSince, to: now)
            self.silentSince = nil
            apply(.recordWritable(commits.error == nil))
            logger.notice(
                "the lease is confirmed again",
                metadata: ["silentMilliseconds": "\((now - silentSince).microseconds / 1000)"]
            )
        } else {
            silentSince = now
            apply(.recordWritable(false))
            logger.warning("silent: the record has not confirmed the lease")
        }
    }

    /// Ends a turn of a silent leader: what is under way goes to the record, whose answer is a proof.
    func endSilentTurn() {
        if now >= nextTidying {
            nextTidying = now + options.heartbeatInterval
            emit(commits.error == nil ? .checkRecord : .retryRecord)
        }
        sendDispatches()
        if commits.isFlushDue(at: now, isWatched: false) { flush() }
    }
}
