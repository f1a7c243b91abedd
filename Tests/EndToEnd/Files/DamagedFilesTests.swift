import Foundation
import Testing

extension EndToEndTests {
    /// Copies whose bytes are not those of their digests.
    @Suite("Damaged files", .timeLimit(.minutes(60)))
    struct DamagedFilesTests {
        /// What happens to an object in a worker's store, behind the worker's back.
        enum Damage: String, CaseIterable, CustomTestStringConvertible {
            case flippedByte = "a flipped byte"
            case flippedLastByte = "a flipped last byte"
            case unnoticed = "a flipped byte with the old length and time"
            case truncated = "a missing end"
            case longer = "a byte more"
            case removed = "no file"

            var testDescription: String { rawValue }

            /// What users are told of it, at the worker w1.
            var loss: String { self == .removed ? "missing at w1." : "damaged at w1." }

            /// The shell command that does it.
            func script(_ path: String) -> String {
                let file = "'\(path)'"
                return switch self {
                case .flippedByte: "printf X | dd of=\(file) bs=1 seek=600000 conv=notrunc 2>/dev/null"
                case .flippedLastByte:
                    "printf X | dd of=\(file) bs=1 seek=$(($(stat -c %s \(file)) - 1)) conv=notrunc 2>/dev/null"
                case .unnoticed: "\(Damage.flippedByte.script(path)); touch -d @946684800 \(file)"
                case .truncated: "truncate -s -1 \(file)"
                case .longer: "printf X >> \(file)"
                case .removed: "rm -f \(file)"
                }
            }
        }

        private func damage(_ object: String, by damage: Damage, in cluster: TestCluster) async throws {
            let process = try cluster.start(script: "chmod u+w '\(object)'; \(damage.script(object))")
            try #require(try await process.end(of: "the damage") == 0, "\(process.errorText)")
        }

        @Test(
            "FI8 A damaged copy is a lost copy: the file is made again, and no dependent reads the damage",
            arguments: Damage.allCases
        )
        func fi8(_ damage: Damage) async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submitChain()
                #expect(try await cluster.finish("\(job)/b") == 0)
                let file = try #require(try await cluster.files("\(job)/b").first)
                let before = try await cluster.verdict(on: "\(job)/b")
                let object = try #require(cluster.objects(of: "w1")[file.digest])
                try await self.damage(object, by: damage, in: cluster)
                try await cluster.change("release", "\(job)/c", count: 1)
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/c").output == TestCluster.chainOutput)
                // What b needs is still there.
                #expect(cluster.notes == ["a-1", "b-1", "b-2", "c-1"])
                #expect(try await cluster.verdict(on: "\(job)/b") == before)
                #expect(try await cluster.show("\(job)/b").attempt == 2)
                // The worker lives: nothing was lost with it.
                let shown = try await cluster.baton("show", "\(job)/b").output
                #expect(shown.contains(damage.loss) && !shown.contains("lost with"), "\(shown)")
                #expect(try await cluster.files("\(job)/b").map(\.holders) == [["w1", "w2"]])
            }
        }

        @Test(
            "FI8 A copy that its own host needs is a lost copy as well: the file is made again, and its worker goes on",
            arguments: Damage.allCases.filter { $0 != .unnoticed }
        )
        func fi8OwnHost(_ damage: Damage) async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: "\(FileScript.make("x", bytes: 700_001, seed: 12))", outputs: ["x"] },
                          { name: "use", command: "sha256sum < $BATON_INPUTS/make/x", needs: ["make"], hold: true },
                        ] }
                        """
                )
                #expect(try await cluster.finish("\(job)/make") == 0)
                let digest = try #require(try await cluster.files("\(job)/make").first?.digest)
                let object = try #require(cluster.objects(of: "w1")[digest])
                try await self.damage(object, by: damage, in: cluster)
                try await cluster.change("release", "\(job)/use", count: 1)
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/use").output == "\(digest)  -\n")
                let shown = try await cluster.baton("show", "\(job)/make").output
                #expect(shown.contains(damage.loss), "\(shown)")
                let use = try await cluster.show("\(job)/use")
                #expect(use.attempt == 1 && use.losses == 0, "\(use)")
                #expect(try await cluster.show("\(job)/make").attempt == 2)
            }
        }

        @Test("FI8 Another copy takes the place of a damaged one, and nothing runs again")
        func fi8Other() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2", "w3"] { try await cluster.startHost(name) }
                let job = try await cluster.submitChain()
                #expect(try await cluster.finish("\(job)/b") == 0)
                // Both hosts hold the file from now on, whichever of them has made it.
                for name in ["w1", "w3"] {
                    let other = try await cluster.submit(
                        graph: "{operations: [{command: 'true', needs: ['\(job)/b'], labels: ['host=\(name)']}]}"
                    )
                    #expect(try await cluster.finish(other) == 0)
                }
                let file = try #require(try await cluster.files("\(job)/b").first)
                #expect(file.holders == ["w1", "w3"])
                let object = try #require(cluster.objects(of: "w1")[file.digest])
                try await damage(object, by: .flippedByte, in: cluster)
                try await cluster.change("release", "\(job)/c", count: 1)
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/c").output == TestCluster.chainOutput)
                #expect(cluster.notes == ["a-1", "b-1", "c-1"])
            }
        }

        @Test(
            "FI8 FI10 A damaged copy that nobody else has is not fetched: the status is not 0, and no file is left",
            arguments: Damage.allCases
        )
        func fi8Fetched(_ damage: Damage) async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let job = try await cluster.submit(
                    script: FileScript.make("x.txt", bytes: 700_001, seed: 6),
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "x.txt"
                )
                #expect(try await cluster.finish(job) == 0)
                let object = try #require(cluster.objects(of: "w1").values.first)
                try await self.damage(object, by: damage, in: cluster)
                let fetched = try await cluster.baton("fetch", job, "--output", "got")
                #expect(fetched.status != 0 && fetched.errors.contains("x.txt"), "\(fetched)")
                #expect(cluster.tree("got").isEmpty)
            }
        }
    }
}
