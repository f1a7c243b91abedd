import Foundation
import Glibc
import Testing

@_spi(Baton) @testable import BatonProcesses

/// Tests that a later life of a program finds the process groups of an earlier life.
@Suite("Files of process groups", .timeLimit(.minutes(60)))
struct GroupFileTests {
    /// A text in the environment of all processes of these tests.
    private static let mark = "GROUP_FILE_TEST=\(UUID().uuidString)"

    private static func marked(_ script: String) throws -> ProcessSpecification {
        var specification = ProcessSpecification.shell(script)
        let parts = mark.split(separator: "=")
        try specification.set([String(parts[0]): String(parts[1])])
        return specification
    }

    /// A file of an earlier life, with one group.
    private static func file(
        in directory: String,
        naming group: pid_t,
        started: ClosedRange<Int64>
    ) throws -> GroupFile {
        let words = [Int64(group), started.lowerBound, started.upperBound]
        try words.withUnsafeBytes { Data($0) }.write(to: URL(filePath: directory + "/groups"))
        return try GroupFile(path: directory + "/groups")
    }

    @Test("The group file names a process group from its start to its end")
    func groupFileNamesProcess() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/groups"
            let supervisor = try ProcessSupervisor(groupFile: GroupFile(path: path))
            defer { supervisor.shutDown() }
            let pipe = try LinePipe()
            var specification = try Self.marked("echo $$; exec sleep 1000")
            specification.standardOutput = .descriptor(pipe.writingEnd)
            async let end = supervisor.run(specification)
            let group = try #require(pid_t(await pipe.readLine()))
            // A later life opens the file before a process of this life has ended; with a living leader the mark is not
            // needed.
            let later = try GroupFile(path: path)
            #expect(later.leftovers(markedBy: "nothing") == [group])
            later.end([group])
            #expect(try await end.get().end == .signalled(SIGKILL))
            #expect(try GroupFile(path: path).leftovers(markedBy: Self.mark) == [])
        }
    }

    @Test("The group file is empty once all process groups have ended")
    func groupFileEmptyOnce() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/groups"
            let supervisor = try ProcessSupervisor(groupFile: GroupFile(path: path))
            defer { supervisor.shutDown() }
            for token in 1...5 as ClosedRange<UInt64> {
                _ = try await supervisor.run(Self.marked("true"), token: token).get()
            }
            let bytes = try Data(contentsOf: URL(filePath: path))
            // A single place serves all groups in sequence.
            #expect(bytes == Data(count: 24))
        }
    }

    @Test("A link or a pipe in the place of the group file is refused, and the file to which it leads stays as it is")
    func groupFileElsewhere() async throws {
        try await withTemporaryDirectory { directory in
            let (path, target) = (directory + "/groups", directory + "/target")
            let content = Data(repeating: 7, count: 48)
            try content.write(to: URL(filePath: target))
            try #require(symlink(target, path) == 0)
            let failure = #expect(throws: SystemFailure.self) { try GroupFile(path: path) }
            #expect(failure?.description.contains("it is a link, or no ordinary file") == true)
            try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
            #expect(throws: SystemFailure.self) { try GroupFile(path: path) }
            #expect(try Data(contentsOf: URL(filePath: target)) == content)
        }
    }

    @Test("A group file is made again where something else has taken its place, and names the same groups")
    func groupFileReplaced() async throws {
        try await withTemporaryDirectory { directory in
            let (path, target) = (directory + "/groups", directory + "/target")
            try Data().write(to: URL(filePath: target))
            let file = try Self.file(in: directory, naming: 12_345, started: 1...2)
            let place = file.reserve()
            let content = try Data(contentsOf: URL(filePath: path))
            try #require(unlink(path) == 0 && symlink(target, path) == 0)
            file.restore()
            #expect(OwnFile.isOrdinary(path))
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
            file.erase(place)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(count: 24))
            #expect(try Data(contentsOf: URL(filePath: target)).isEmpty)
        }
    }

    @Test("A process group with another start time, or that has ended, is not taken for a leftover")
    func processGroupAnotherStart()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try await withSupervisor { supervisor in
                let pipe = try LinePipe()
                var specification = try Self.marked("echo $$; exec sleep 1000")
                specification.standardOutput = .descriptor(pipe.writingEnd)
                async let end = supervisor.run(specification)
                let group = try #require(pid_t(await pipe.readLine()))
                let started = try #require(ProcessTable.startTime(of: group))
                let file = try Self.file(in: directory, naming: group, started: started - 1000...started - 100)
                #expect(file.leftovers(markedBy: Self.mark) == [])
                _ = try Self.file(in: directory, naming: group, started: started...started)
                #expect(file.leftovers(markedBy: Self.mark) == [group])
                supervisor.terminate(1, grace: .zero)
                _ = await end
                #expect(file.leftovers(markedBy: Self.mark) == [])
            }
        }
    }

    @Test("A process group without its leader is known by the mark in the environment of its members")
    func processGroupWithoutLeader() async throws {
        try await withTemporaryDirectory { directory in
            let pipe = try LinePipe()
            var specification = try Self.marked("setsid --wait sh -c 'sleep 1000 & echo $$'")
            specification.standardOutput = .descriptor(pipe.writingEnd)
            // The supervisor reaps the leader; no process supervises the leader's leftover child.
            try await withSupervisor { supervisor in _ = try await supervisor.run(specification).get() }
            let group = try #require(pid_t(await pipe.readLine()))
            let file = try Self.file(in: directory, naming: group, started: 0...0)
            #expect(file.leftovers(markedBy: "nothing") == [])
            #expect(file.leftovers(markedBy: Self.mark) == [group])
            file.end([group])
            #expect(ProcessTable.livingGroups()?.contains(group) == false)
        }
    }
}
