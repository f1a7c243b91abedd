import Baton
import Foundation
@testable import MovedProgram

// The snippets of the manual that are in no example program. Nothing calls these functions: it is enough that they compile.

/// Snippets of the page "From OperationQueue to Baton".
enum MovingSnippets {
    static func asynchronously(_ paths: [String], in queue: DistributedOperationQueue) async throws {
        let counts = paths.map { RemoteOperation(CountWords(path: $0)) }
        let sum = RemoteOperation(AddUp()).after(counts)
        let job = try await queue.addOperations(counts + [sum])
        try await job.waitUntilFinished()

        let show = Task {
            for try await change in sum.stateChanges {
                if case .progress(let fraction, let message) = change {
                    print("\(Int(fraction * 100)) %", message ?? "")
                }
            }
        }
        try await show.value

        while try await job.outcome == nil {
            let counts = try await job.counts
            print("\(counts.succeeded) of \(counts.total) operations have succeeded")
            try await Task.sleep(for: .seconds(1))
        }
    }

    func resizeAll(_ files: [String]) throws {
        let queue = try Cluster().queue("images")
        for file in files { try queue.addOperation(Resize(path: file, width: 80)) }
        try queue.waitUntilAllOperationsAreFinished()
    }

    static func limit() throws {
        // Baton
        let queue = try Cluster().queue("images")
        queue.maxConcurrentOperationCount = 4
    }

    static func sameWork(on files: [String], in queue: DistributedOperationQueue) throws {
        // Baton
        for file in files { try queue.addOperation(Resize(path: file, width: 80)) }
        try queue.waitUntilAllOperationsAreFinished()
    }

    static func order(
        _ first: DistributedOperation,
        _ second: DistributedOperation,
        in queue: DistributedOperationQueue
    ) throws {
        // Baton
        second.addDependency(first)
        try queue.addOperations([first, second], waitUntilFinished: true)
    }

    // Baton
    struct Fetch: ClusterOperation {
        static let typeName = "fetch"
        let url: URL
        func run(in context: OperationContext) async throws -> Data { load(url) }
    }

    struct Filter: ClusterOperation {
        static let typeName = "filter"

        func run(in context: OperationContext) async throws -> Int {
            // in run(in:):
            let body = try context.result(of: Fetch.self)
            return body.count
        }
    }

    static func result(of fetch: RemoteOperation<Fetch>, for filter: RemoteOperation<Filter>) {
        // Baton
        filter.addDependency(fetch)
    }

    static func end(of operation: DistributedOperation, in queue: DistributedOperationQueue) throws {
        // Baton
        operation.completionBlock = { print(operation.isCancelled) }
        try queue.addOperation(operation)
        operation.cancel()
    }

    static func names(in cluster: Cluster) async throws {
        let job = try await cluster.job(12)
        let sepia = try await job.operation(named: "sepia")
        if let address = sepia.address { print(address) }  // 12/3
    }

    static func barrier(_ pictures: [RemoteOperation<Resize>], in queue: DistributedOperationQueue) async throws {
        let album = RemoteOperation(Album()).after(pictures)
        try await queue.addBarrierOperation(album)
    }

    /// What the snippets leave to the reader.
    static func load(_ url: URL) -> Data { Data(url.path.utf8) }
}

struct Resize: ClusterOperation {
    static let typeName = "resize"
    var path: String
    var width: Int

    func run(in context: OperationContext) async throws -> Int {
        try await resize(path, to: width) { context.report(progress: $0) }
    }
}

struct Album: ClusterOperation {
    static let typeName = "album"

    func run(in context: OperationContext) async throws {
        let sizes = try context.results(of: Resize.self)  // in the order of the dependencies; nil where one failed
        context.logger.info("The album has \(sizes.count) pictures.")
    }
}

/// What the snippets leave to the reader: resizes a picture, and returns the number of bytes.
func resize(_ path: String, to width: Int, report: (Double) -> Void) async throws -> Int { width }

/// Snippets of the page "Operations in Swift", and of doc comments.
enum OperationSnippets {
    static func workers() async throws {
        try await ClusterWorker(coordinator: "tcp://10.0.0.1:7461", operations: [Resize.self, Album.self]).run()

        try await ClusterWorker(coordinator: "tcp://10.0.0.1:7461", slots: 4, operations: [Resize.self]).run()
    }

    static func adding() async throws {
        let images = try Cluster(coordinator: "tcp://127.0.0.1:7461").queue("images")
        let resized = try await images.addOperation(Resize(path: "a.png", width: 80))
        let bytes = try await resized.value

        for try await change in resized.stateChanges {
            if case .progress(let fraction, let message) = change { print(fraction, message ?? "") }
        }
        print(bytes)
    }

    static func graph() async throws {
        let cluster = try Cluster()
        let (albums, uploads) = (cluster.queue("albums"), cluster.queue("uploads"))
        let pictures = ["a.png", "b.png"].map { RemoteOperation(Resize(path: $0, width: 80)) }
        let album = RemoteOperation(Album()).named("album").after(pictures)
        let job = try await albums.addOperations(name: "holidays") {
            pictures
            album
            CommandOperation("rsync", "-a", "album/", "web:album/").needs(album).on(uploads)
        }
        try await job.waitUntilFinished()
    }

    static func thumbnails(of cluster: Cluster) async throws {
        let (downloads, images) = (cluster.queue("downloads"), cluster.queue("images"))
        let fetch = CommandOperation("curl", "-fsSo", "a.png", "https://example.org/a.png")
        let job = try await downloads.addOperations(name: "thumbnails") {
            fetch
            CommandOperation("convert", "a.png", "b.png").needs(fetch).on(images)
        }
        print(job.number)
    }

    static func finding(in cluster: Cluster) async throws {
        let found = try await cluster.operation(OperationAddress(job: 12, index: 3), as: Resize.self)
        let bytes = try await found.value
        print(bytes)
    }

    static func files(in queue: DistributedOperationQueue) async throws {
        var options = OperationOptions()
        options.outputs = ["*.bam"]
        options.copies = 2  // two workers keep each of them
        let align = CommandOperation("sh", "-c", "bwa mem $REF reads.fq | samtools sort -o out.bam", options: options)
        try await queue.addOperation(align)
        try await align.waitUntilFinished()
        for file in try await align.files { print(file.path, file.size, file.holders) }
        try await align.fetchFiles(to: "results")
    }

    static func ownWorker() async throws {
        let worker = try ClusterWorker(slots: 2, operations: [Resize.self])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run(untilSignalled: false) }
            group.addTask { try await resizeAll() }
            try await group.next()  // the work is done, or the worker cannot run
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// What the snippets leave to the reader.
    static func resizeAll() async throws {}
}
