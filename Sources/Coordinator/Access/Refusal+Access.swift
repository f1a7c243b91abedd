@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Refusals of what a key does not permit.
extension Refusal {
    /// Refuses a request that the role of its sender does not permit.
    static func notPermitted(_ request: Request, to requester: Requester) -> Refusal {
        Refusal(.notAllowed, "The key \(requester.name) is a \(requester.role)'s, and may not \(request.infinitive).")
    }

    /// Refuses a client whose key has a role that sends no requests.
    static func noClient(_ requester: Requester) -> Refusal {
        Refusal(.notAllowed, "The key \(requester.name) is a \(requester.role)'s, and may not send requests.")
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
