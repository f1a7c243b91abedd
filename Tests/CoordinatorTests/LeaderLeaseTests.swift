@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("The lease of a leader")
struct LeaderLeaseTests {
    private static let lengths: [Duration] = [.seconds(1), .seconds(2), .milliseconds(2750), .seconds(60)]

    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(rawValue: milliseconds * 1000) }

    @Test("A proof counts from its sending until half a second before the end of the lease", arguments: lengths)
    func bounds(length: Duration) {
        for start in [-5_000, 0, 1, 1_000_000_000] as [Int64] {
            let lease = LeaderLease(length: length, provenAt: at(start))
            let end = at(start) + length + .milliseconds(-500)
            #expect(lease.provenUntil == end)
            #expect(lease.isProven(at: at(start)) && lease.isProven(at: end + .microseconds(-1)))
            #expect(!lease.isProven(at: end) && !lease.isProven(at: end + .seconds(1_000_000)))
            #expect(lease.nextProof == at(start) + length / 4)
            #expect(lease.nextProof < lease.provenUntil, "there is time for the answer of a proof")
        }
    }

    @Test("The latest of all proofs counts, in whatever order they come", arguments: lengths)
    func order(length: Duration) {
        var random = SplitMix(seed: UInt64(length.microseconds))
        var lease = LeaderLease(length: length, provenAt: at(0))
        var latest = at(0)
        for _ in 0..<200 {
            let moment = at(Int64(random.next() % 100_000))
            lease.note(provenAt: moment)
            latest = max(latest, moment)
            #expect(lease.provenUntil == latest + length + .milliseconds(-500))
            #expect(lease.isProven(at: latest))
        }
    }

    @Test("A revoked lease is unproven until a proof that is not older than the last one", arguments: lengths)
    func revoked(length: Duration) {
        var lease = LeaderLease(length: length, provenAt: at(1000))
        lease.revoke()
        #expect(!lease.isProven(at: at(1000)) && !lease.isProven(at: at(1001)))
        lease.note(provenAt: at(999))
        #expect(!lease.isProven(at: at(1001)), "a proof of before says nothing of the loss")
        lease.note(provenAt: at(1001))
        #expect(lease.isProven(at: at(1001)))
        lease.revoke()
        lease.revoke()
        lease.note(provenAt: at(1001))
        #expect(lease.isProven(at: at(1002)))
    }

    @Test("The clock of leases counts what the other clock of the coordinator counts, and the suspensions of its host")
    func clock() {
        let clock = Clock()
        var last = clock.leaseTime
        for _ in 0..<1000 {
            let elapsed = ClockSteps.Reading.elapsed
            let present = clock.leaseTime
            #expect(present >= last && present.rawValue >= elapsed)
            last = present
        }
    }
}
