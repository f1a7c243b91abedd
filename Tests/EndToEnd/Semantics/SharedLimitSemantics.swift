import Foundation
import Testing

extension SemanticsTests {
    @Suite("Limits that several queues share")
    struct SharedLimits {
        /// Executes operations that take a unit each, at gates of their own.
        private static func hold(
            _ count: Int,
            in cluster: TestCluster
        ) async throws -> (job: String, gates: [Gate]) {
            let gates = try (0..<count).map { try cluster.gate("holder-\($0)") }
            let script = cluster.waitAtGate("holder-{}")
            let last = "0-\(count - 1)"
            let job = try await cluster.submit(script: script, "--queue=a", "--take=licence=1", "--array", last)
            for gate in gates { try await gate.arrival() }
            return (job, gates)
        }

        /// The limit "licence" in the list.
        private static func licence(in cluster: TestCluster) async throws -> JSONValue? {
            try await cluster.json("limit", "list").limits.elements.first { $0.limit == "licence" }
        }

        @Test(
            "LI1 An operation takes all of its shared limits or none, and holds none while it waits",
            arguments: ClusterShape.tested
        )
        func li1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let units = max(1, shape.slots / 2)
                _ = try await cluster.json("limit", "set", "licence", "\(units)")
                _ = try await cluster.json("limit", "set", "disk", "1")
                let (job, gates) = try await Self.hold(units, in: cluster)
                let both = try await cluster.submit("--queue=b", "--take=licence=1", "--take=disk=1", "--", "true")
                let reason = try await cluster.json("explain", both).waitsFor.elements.first { $0.kind == "limit" }
                #expect(reason?.sharedLimit.string == "licence")
                #expect(reason?.units.int == 1 && reason?.taken.int == units)
                #expect(reason?.operations.elements.first?.string == "\(job)/0")
                let text = try await cluster.baton("explain", both).output
                #expect(text.contains("It waits for 1 of \(units) licence: \(units) held by \(job)/0"), "\(text)")
                let listed = try await cluster.json("limit", "list").limits.elements
                #expect(listed.map(\.limit) == ["disk", "licence"])
                #expect(listed.map(\.taken.int) == [0, units] && listed.map(\.waiting.int) == [1, 1])
                // Others pass the one that waits.
                let other = try await cluster.submit("--queue=b", "--", "true")
                if shape.slots > units { #expect(try await cluster.wait(other) == 0) }

                // What goes on after a restart holds its units.
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await Self.licence(in: cluster)?.taken.int == units)
                for gate in gates { try await gate.open() }
                #expect(try await cluster.wait(job, both, other) == 0)
                #expect(try await Self.licence(in: cluster)?.taken.int == 0)
            }
        }

        @Test(
            "LI2 Units are taken in the order of priority and age in all queues, also by large requests",
            arguments: ClusterShape.tested
        )
        func li2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                _ = try await cluster.json("limit", "set", "licence", "2")
                let gate = try cluster.gate("first")
                var jobs = [
                    try await cluster.submit(script: cluster.waitAtGate("first"), "--queue=a", "--take=licence=2")
                ]
                try await gate.arrival()
                // No two small ones follow each other, so that each waits for the one before.
                for number in 1...6 {
                    let queue = "--queue=\(["a", "b", "c"][number % 3])"
                    let take = "--take=licence=\(2 - number % 2)"
                    jobs.append(try await cluster.submit(script: cluster.note("\(number)"), queue, take))
                }
                let urgent = cluster.note("urgent")
                jobs.append(
                    try await cluster.submit(script: urgent, "--queue=d", "--take=licence=2", "--priority=high")
                )
                try await gate.open()
                for job in jobs { #expect(try await cluster.wait(job) == 0) }
                #expect(cluster.notes == ["urgent"] + (1...6).map { "\($0)" })
            }
        }

        @Test(
            "LI3 A lowered limit stops nobody, and others start once enough units are free",
            arguments: ClusterShape.tested
        )
        func li3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let units = min(2, shape.slots)
                _ = try await cluster.json("limit", "set", "licence", "\(units)")
                let (job, gates) = try await Self.hold(units, in: cluster)
                _ = try await cluster.json("limit", "set", "licence", "0")
                let waiting = try await cluster.submit(script: cluster.note("ran"), "--queue=b", "--take=licence=1")
                let listed = try await Self.licence(in: cluster)
                let limit = try #require(listed)
                #expect((limit.units.int, limit.taken.int, limit.waiting.int) == (0, units, 1))
                let text = try await cluster.baton("explain", waiting).output
                #expect(text.contains("Raise the limit with \"baton limit set licence 1\", or more."), "\(text)")
                for gate in gates { try await gate.open() }
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == [])
                _ = try await cluster.json("limit", "set", "licence", "1")
                #expect(try await cluster.wait(waiting) == 0)
                #expect(cluster.notes == ["ran"])
            }
        }

        @Test("A submission that takes units of an unknown limit is refused, and a limit in use is not removed")
        func unknown() async throws {
            try await withCluster(slots: 1) { cluster in
                _ = try await cluster.json("limit", "set", "licence", "1")
                let refused = try await cluster.baton("submit", "--take=license=1", "--", "true")
                #expect(refused.status == 65 && refused.output.isEmpty, "\(refused)")
                #expect(refused.errors.contains("the limit \"license\", which does not exist"), "\(refused)")
                for take in ["licence", "licence=0", "a b=1"] {
                    #expect(try await cluster.baton("submit", "--take", take, "--", "true").status == 64)
                }
                let file = try cluster.write("{ operations: [{ command: 'true', take: { disk: 1 } }] }", to: "bad.json")
                #expect(try await cluster.baton("submit", "--file", file).status == 65)
                #expect(try await cluster.json("list").jobs.elements.isEmpty)
                let job = try await cluster.submit("--hold", "--take=licence=1", "--", "true")
                #expect(try await cluster.baton("limit", "remove", "licence").status == 65)
                #expect(try await cluster.baton("limit", "remove", "disk").status == 66)
                #expect(try await cluster.baton("limit", "set", "licence", "-1").status == 64)
                try await cluster.change("release", job, count: 1)
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("limit", "remove", "licence").status == 0)
                #expect(try await cluster.json("limit", "list").limits.elements.isEmpty)
            }
        }
    }
}
