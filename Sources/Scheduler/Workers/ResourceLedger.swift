@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// What the attempts at the workers have taken of the workers' offers.
///
/// Only attempts of operations with a request have an entry: the ledger is empty where nobody asks for anything.
struct ResourceLedger: Sendable {
    private struct Account {
        var use = ResourceUse()
        var claims: [AttemptToken: ResourceRequest] = [:]
    }

    private var accounts: [WorkerIndex: Account] = [:]

    /// Whether no attempt has taken anything.
    @inline(__always) var isEmpty: Bool { accounts.isEmpty }

    /// What the attempts at a worker have taken.
    func use(at worker: WorkerIndex) -> ResourceUse { accounts[worker]?.use ?? ResourceUse() }

    /// What each attempt at a worker has taken; attempts that have taken nothing are absent.
    func claims(at worker: WorkerIndex) -> [AttemptToken: ResourceRequest] { accounts[worker]?.claims ?? [:] }

    /// Notes what an attempt takes of its worker.
    mutating func claim(_ request: ResourceRequest, for token: AttemptToken, at worker: WorkerIndex) {
        release(token, at: worker)
        accounts[worker, default: Account()].use.add(request)
        accounts[worker]?.claims[token] = request
    }

    /// Takes back what an attempt has taken, if anything.
    mutating func release(_ token: AttemptToken, at worker: WorkerIndex) {
        guard let request = accounts[worker]?.claims.removeValue(forKey: token) else { return }
        accounts[worker]?.use.subtract(request)
        guard accounts[worker]?.claims.isEmpty == true else { return }
        invariant(
            accounts[worker]?.use == ResourceUse(),
            "No attempt has taken anything of a worker, and something is missing."
        )
        accounts[worker] = nil
    }

    /// Takes back what all attempts at a worker have taken.
    mutating func releaseAll(at worker: WorkerIndex) { accounts[worker] = nil }
}
