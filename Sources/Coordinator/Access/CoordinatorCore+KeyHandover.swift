@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire

/// Hands the coordinator's own keys over to a coordinator that will stand in for it.
extension CoordinatorCore {
    /// Answers with the coordinator's keys, once for each key of the role ``Role/coordinator``, which is revoked with the answer.
    ///
    /// The files are few and small, and are read at once. The revocation waits for the lock of the key directory, and so has a thread of
    /// its own; the revocation comes after the answer, because a revocation ends the connection.
    func handOverKeys(for client: ReplyAddress) {
        guard let directory = options.keys, let requester = client.requester, requester.role == .coordinator else {
            return send(
                .refused(Refusal(.notAllowed, "This coordinator runs without keys, and has none to give.")),
                to: client
            )
        }
        guard usedKeys.insert(requester.number).inserted else {
            return send(.refused(.usedUp(requester)), to: client)
        }
        let seconds = now.rawValue / 1_000_000
        do throws(KeyError) {
            let keys = try directory.coordinatorKeys(for: requester.name, at: seconds)
            send(.document(keys.encoded()), to: client)
        } catch {
            usedKeys.remove(requester.number)
            logger.error("cannot hand over the coordinator's keys", metadata: ["reason": "\(error.message)"])
            let isUsed = error.code == .unknownKey
            return send(
                .refused(isUsed ? .usedUp(requester) : Refusal(.storage, "The keys cannot be read. \(error.message)")),
                to: client
            )
        }
        logger.notice("handed over the coordinator's keys", metadata: ["key": "\(requester.name)"])
        revoke(requester.name, in: directory, at: seconds)
    }

    /// Revokes a used key; the watch over the directory does the rest.
    private func revoke(_ name: KeyName, in directory: KeyDirectory, at seconds: Int64) {
        let logger = logger
        @Sendable func tell(_ reason: String) {
            logger.error(
                "a key has handed over the coordinator's keys, and is still admitted: revoke it",
                metadata: ["key": "\(name)", "reason": "\(reason)"]
            )
        }
        do throws(ThreadFailure) {
            try SystemThread.detach(named: "revocation") {
                do throws(KeyError) { try directory.revoke(name, at: seconds) } catch { tell(error.message) }
            }
        } catch {
            tell("\(error)")
        }
    }
}

extension Refusal {
    /// Refuses a second handover of the coordinator's keys for the same key.
    fileprivate static func usedUp(_ requester: Requester) -> Refusal {
        Refusal(
            .notAllowed,
            "The key \(requester.name) is used up: the coordinator's keys were given to it before. If that was not you, somebody else has "
                + "them: make new keys for the whole cluster."
        )
    }
}
