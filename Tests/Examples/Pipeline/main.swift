import Baton
import Foundation

// Pipeline worker                         runs the operations of this program, on any host of the cluster
// Pipeline WORD DIRECTORY FILE...         writes the lines with a word, of all files, to DIRECTORY/combined.txt
//
// All hosts see the directory and the files. The coordinator is that of the environment variable BATON_COORDINATOR.

let arguments = CommandLine.arguments.dropFirst()
do {
    if arguments.first == "worker" {
        try await ClusterWorker(operations: [Fetch.self, Filter.self, Combine.self]).run()
    } else if arguments.count >= 3 {
        try await filter(files: Array(arguments.dropFirst(2)), for: arguments[1], in: arguments[2])
    } else {
        FileHandle.standardError.write(Data("usage: Pipeline worker | Pipeline WORD DIRECTORY FILE...\n".utf8))
        exit(64)
    }
} catch {
    // An error is a sentence that says what to do, such as to start a coordinator.
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}

func filter(files: [String], for word: String, in directory: String) async throws {
    let queue = try Cluster().queue("pipeline")

    // Each file is fetched by one operation and filtered by another. The filter needs the file.
    let fetches = files.map { RemoteOperation(Fetch(source: $0, directory: directory)) }
    let filters = fetches.map { RemoteOperation(Filter(word: word)).needs($0) }

    // One operation after all filters. It also runs if some of them fail.
    let combine = RemoteOperation(Combine(path: "\(directory)/combined.txt")).after(filters)

    // The whole graph is one job: the coordinator takes all of it or nothing.
    let job = try await queue.addOperations(name: "lines with \(word)") {
        fetches
        filters
        combine
    }
    try await job.waitUntilFinished()

    for (file, fetch) in zip(files, fetches) {
        if let error = fetch.error { print("\(file): \(error.outcome) on attempt \(error.attempt)") }
    }
    let output = try await combine.value
    print("\(output.lines) lines, \(output.missing) of \(files.count) files missing")
}
