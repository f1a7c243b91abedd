import Foundation
import Testing

/// A file of an operation, as `baton files --json` lists it.
struct ListedFile: Hashable {
    var operation: String
    var attempt: Int
    var path: String
    var size: Int
    /// The permission bits in octal digits, as `chmod` takes them.
    var mode: String
    var digest: String
    /// The workers that have a copy, sorted.
    var holders: [String]

    init(_ document: JSONValue) {
        operation = document.operation.string
        attempt = document.attempt.int
        path = document.path.string
        size = document.size.int
        mode = String(document.mode.string.drop { $0 == "0" })
        digest = document.digest.string
        holders = document.holders.elements.map(\.string).sorted()
    }
}

/// What tests of files repeat.
extension TestCluster {
    /// The files that a job or an operation has left, in the order of the list.
    func files(_ address: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [ListedFile] {
        try await json("files", address, sourceLocation: sourceLocation).files.elements.map(ListedFile.init)
    }

    /// The exit status of `wait`; fails with what the jobs wait for if they are not over in time.
    func finish(_ jobs: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> Int32 {
        let result = try await baton(["wait", "--timeout", "20m"] + jobs)
        guard result.status != 124 else {
            var explanations: [String] = []
            for job in jobs { explanations.append(try await baton("explain", job).output) }
            throw Failure("The jobs \(jobs) were not over after 20 minutes: \(explanations.joined(separator: "\n"))")
        }
        return result.status
    }

    /// Starts a worker with a directory of its own and a label `host` with its name, as if it were alone on its host.
    func startHost(_ name: String, slots: Int = 1, in directory: String? = nil, options: [String] = []) async throws {
        try await startWorker(
            name,
            slots: slots,
            in: directory ?? "host-\(name)",
            labels: ["host": name],
            options: options
        )
    }

    /// The directory of the files that a worker keeps.
    func store(of name: String, in directory: String? = nil) -> URL {
        home.appending(path: "\(directory ?? "host-\(name)")/workers/\(name)/files")
    }

    /// The paths of the objects that a worker keeps, by their digests.
    func objects(of name: String, in directory: String? = nil) -> [String: String] {
        let objects = store(of: name, in: directory).appending(path: "objects").path
        var found: [String: String] = [:]
        for folder in (try? FileManager.default.contentsOfDirectory(atPath: objects)) ?? [] {
            for file in (try? FileManager.default.contentsOfDirectory(atPath: "\(objects)/\(folder)")) ?? [] {
                found[String(file.prefix { $0 != "." })] = "\(objects)/\(folder)/\(file)"
            }
        }
        return found
    }

    /// Kills a worker and takes its disk away: a worker of the same name comes back with nothing.
    func loseDisk(of name: String, slots: Int = 1) async throws {
        let worker = try #require(workers[name])
        worker.signal(SIGKILL)
        #expect(try await worker.end(of: "the killed worker \(name)") == 128 + SIGKILL)
        try await startHost(name, slots: slots, in: "new-\(name)-\(UUID().uuidString)", options: ["--replace"])
    }

    /// Stops a worker in order, whose copies of files the cluster then lacks.
    func leave(_ name: String) async throws {
        let worker = try #require(workers[name])
        worker.signal(SIGTERM)
        #expect(try await worker.end(of: "the worker \(name) that leaves") == 0)
        // The answer to a later change tells that the departure is in the record, which a killed coordinator would have lost.
        let change = try await baton("limit", "set", "after-\(UUID().uuidString)", "1")
        #expect(change.status == 0, "\(change)")
    }

    /// The attempts of an operation before its last one, oldest first.
    func earlierAttempts(of operation: String) async throws -> [JSONValue] {
        try await show(operation).attempts.elements
    }

    /// What a finished operation never changes: its state, its outcome, and when it finished.
    func verdict(on operation: String) async throws -> [JSONValue] {
        let document = try await show(operation)
        return [document.state, document.outcome, document.finishedAt, document.reason]
    }

    /// The regular files below a directory of the test, by their relative paths.
    func tree(_ directory: String) -> [String: Data] {
        let base = home.appending(path: directory).path
        var found: [String: Data] = [:]
        for path in (try? FileManager.default.subpathsOfDirectory(atPath: base)) ?? [] {
            var isDirectory: ObjCBool = false
            let file = "\(base)/\(path)"
            let exists = FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory)
            guard exists, !isDirectory.boolValue else { continue }
            found[path] = FileManager.default.contents(atPath: file) ?? Data()
        }
        return found
    }
}

/// Shell commands for operations that make and check files.
enum FileScript {
    /// Writes a file of a length, with the same bytes for the same seed.
    static func make(_ path: String, bytes: Int, seed: Int) -> String {
        "{ yes 'line of seed \(seed)' | head -c \(bytes) > '\(path)'; }"
    }

    /// Prints the digest and path of each file below the working directory, in the order of the paths.
    static let digests = "find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum"

    /// Prints the digest and path of each input, in the order of the paths.
    static let inputDigests =
        "cd \"$BATON_INPUTS\" && find -L . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum"
}

extension String {
    /// The digest of each path in the output of `sha256sum`, without the `./` before it.
    var digestsByPath: [String: String] {
        var found: [String: String] = [:]
        for line in split(separator: "\n") {
            // A line begins with a backslash if the path has signs that are written otherwise.
            let text = line.hasPrefix("\\") ? line.dropFirst() : line
            guard text.utf8.count > 66 else { continue }
            let path = text.dropFirst(66)
            found[path.hasPrefix("./") ? String(path.dropFirst(2)) : String(path)] = String(text.prefix(64))
        }
        return found
    }
}
