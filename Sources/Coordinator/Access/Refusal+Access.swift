@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Refusals of what a key does not permit.
extension Refusal {
    /// Refuses a request that the role of its sender does not permit.
    static func notPermitted(_ request: Request, to requester: Requester) -> Refusal {
        guard let claim = requester.claim else {
            return Refusal(
                .notAllowed,
                "The key \(requester.name) is a \(requester.role)'s, and may not \(request.infinitive)."
            )
        }
        // A submission may change queues on the way.
        let what = if case .submit = request { "change queues" } else { request.infinitive }
        return Refusal(.notAllowed, "Operation \(claim.operationID) may not \(what).")
    }

    /// Refuses a client whose key has a role that sends no requests.
    static func noClient(_ requester: Requester) -> Refusal {
        Refusal(.notAllowed, "The key \(requester.name) is a \(requester.role)'s, and may not send requests.")
    }

    /// Refuses the holder of the operations' key who has not proved to be an operation.
    static func noOperation(_ requester: Requester) -> Refusal {
        Refusal(
            .notAllowed,
            "The key \(requester.name) is for operations, and the connection has no valid token of an operation."
        )
    }

    /// Refuses an operation's proof that came with a key of another role.
    static func proofWithKey(of requester: Requester) -> Refusal {
        Refusal(
            .notAllowed,
            "The key \(requester.name) is a \(requester.role)'s, and may not be used with the token of an operation."
        )
    }

    /// Refuses an operation whose attempt has ended, or was never on the claimed worker.
    static func ended(_ claim: OperationClaim) -> Refusal {
        Refusal(
            .notAllowed,
            "Attempt \(claim.attempt) of operation \(claim.operationID) has ended; its token is no longer valid."
        )
    }

    /// Refuses an operation's report on the progress of another one.
    static func otherProgress(of target: OperationID, by operation: OperationID) -> Refusal {
        Refusal(.notAllowed, "Operation \(operation) may not report the progress of \(target).")
    }

    /// Refuses an operation that reads files of another job (FI11).
    static func otherFiles(of target: Address, by operation: OperationID) -> Refusal {
        Refusal(
            .notAllowed,
            "Operation \(operation) may read the files of its own job alone, and not those of \(target.asShown)."
        )
    }

    /// Refuses an operation's cancellation of a queue that is not its own.
    static func otherQueue(_ queue: String, by operation: OperationID) -> Refusal {
        Refusal(.notAllowed, "Operation \(operation) may not cancel the queue \(queue.asShown), which is not its own.")
    }

    /// Refuses an operation's change of what neither belongs to it nor is in its queue.
    ///
    /// - Parameter queue: the queue of the operation.
    static func otherTarget(
        _ target: Address,
        of request: Request,
        by operation: OperationID,
        in queue: String
    ) -> Refusal {
        let hint =
            switch (request, target) {
            // Nothing but a job can grow or be closed.
            case (.add, _), (.close, _): ""
            case (_, .job), (_, .operations):
                " Of another job, it may name each operation in its queue \(queue.asShown) by itself."
            case (_, .operation), (_, .named): ""
            }
        return Refusal(
            .notAllowed,
            "Operation \(operation) may not \(request.infinitive) outside of its job, its queue and the jobs that it has "
                + "submitted: \(target.asShown).\(hint)"
        )
    }

    /// Refuses a worker whose key has another role.
    static func noWorker(_ requester: Requester) -> Refusal {
        Refusal(.notAllowed, "The key \(requester.name) is a \(requester.role)'s, and may not run operations.")
    }

    /// Refuses the holder of a revoked key.
    static func revoked(_ requester: Requester) -> Refusal {
        Refusal(.notAllowed, "The key \(requester.name) was revoked.")
    }
}
