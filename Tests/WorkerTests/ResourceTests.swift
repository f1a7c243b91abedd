@_spi(Baton) import BatonOperations
import Foundation
import Glibc
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("Resources of attempts on a worker", .serialized, .timeLimit(.minutes(60)))
struct ResourceTests {
    private static var resources: WorkerResources {
        var resources = WorkerResources()
        resources.memory = 1 << 30
        resources.amounts = ["gpu": 2]
        resources.variables = ["gpu": ["CUDA_VISIBLE_DEVICES"]]
        resources.environment = ["OF_WORKER": "here", "OF_BOTH": "worker"]
        return resources
    }

    @Test("Commands see the numbers of their units and the worker's variables, below the operation's own")
    func variables() async throws {
        try await WorkerTest.run(resources: Self.resources) { test in
            var work = Work.shell(
                "echo $BATON_RESOURCE_GPU $CUDA_VISIBLE_DEVICES $OF_WORKER $OF_BOTH; env | grep -c BATON_RESOURCE"
            )
            work.environment = ["OF_BOTH": "operation", "CUDA_VISIBLE_DEVICES": "9"]
            let without = try test.coordinator.run(work)
            #expect(without.standardOutput.text == "9 here operation\n0\n")
            work.resources = ["gpu": 2]
            let with = try test.coordinator.run(work)
            #expect(with.standardOutput.text == "0,1 0,1 here operation\n1\n")
        }
    }

    @Test("Commands that use more memory than the operation asked for are ended, all of them, with that reason")
    func memory() async throws {
        try await WorkerTest.run(resources: Self.resources) { test in
            let large = "x=$(head -c 100000000 /dev/zero | tr '\\0' x); while :; do sleep 1000; done"
            let small = "while :; do sleep 1000; done"
            let work = Work(.commands([small, large].map { ["/bin/sh", "-c", $0] }), memory: 50 << 20)
            let excess = try test.coordinator.run(work)
            #expect(excess.end == .exceededMemory(limit: 50 << 20))
            var within = Work.shell("exit 3")
            within.memory = 1 << 30
            let result = try test.coordinator.run(within)
            #expect(result.end == .exited(3))
        }
    }

    @Test("Only a name that workers give to their control groups is a mark: any other link was put there by others")
    func foreignMark() async throws {
        try await withTemporaryDirectory { directory in
            let mark = directory + "/memory-group"
            MemoryGroupMark.set(directory + "/elsewhere", at: mark)
            #expect(MemoryGroupMark.group(at: mark) == nil)
            MemoryGroupMark.set(directory + "/baton-1", at: mark)
            #expect(MemoryGroupMark.group(at: mark) == directory + "/baton-1")
        }
    }

    @Test("The control group that a killed life has left is removed")
    func leftovers() async throws {
        try await withTemporaryDirectory { directory in
            let group = directory + "/baton-1"
            try FileManager.default.createDirectory(atPath: group + "/a-1", withIntermediateDirectories: true)
            try FileManager.default.createDirectory(atPath: directory + "/worker", withIntermediateDirectories: true)
            #expect(MemoryGroupMark.group(at: directory + "/worker/memory-group") == nil)
            MemoryGroupMark.set("elsewhere", at: directory + "/worker/memory-group")
            MemoryGroupMark.set(group, at: directory + "/worker/memory-group")
            let coordinator = try FakeCoordinator()
            let worker = try RunningWorker(.forTests(coordinator.endpoint, directory: directory))
            try coordinator.greet()
            #expect(access(group, F_OK) != 0)
            worker.stopNow()
            try worker.awaitEnd()
            coordinator.close()
        }
    }
}
