import Foundation

// The halves of the manual's pairs that show Foundation. Nothing calls these functions: it is enough that they compile.

/// Snippets of the page "From OperationQueue to Baton".
enum FoundationSnippets {
    static func limit() {
        // Foundation
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
    }

    static func sameWork(on files: [String], in queue: OperationQueue) {
        // Foundation
        for file in files { queue.addOperation { resize(file, to: 80) } }
        queue.waitUntilAllOperationsAreFinished()
    }

    static func order(_ first: Operation, _ second: Operation, in queue: OperationQueue) {
        // Foundation
        second.addDependency(first)
        queue.addOperations([first, second], waitUntilFinished: true)
    }

    // Foundation
    final class Fetch: Operation, @unchecked Sendable {
        let url: URL
        private(set) var body: Data?
        init(url: URL) { self.url = url }
        override func main() { body = load(url) }
    }

    final class Filter: Operation, @unchecked Sendable {
        private(set) var length = 0

        override func main() {
            // in main:
            let body = (dependencies.first as? Fetch)?.body
            length = body?.count ?? 0
        }
    }

    static func result(of fetch: Fetch, for filter: Filter) {
        // Foundation
        filter.addDependency(fetch)
    }

    static func end(of operation: Operation, in queue: OperationQueue) {
        // Foundation
        operation.completionBlock = { print(operation.isCancelled) }
        queue.addOperation(operation)
        operation.cancel()
    }

    /// What the snippets leave to the reader.
    static func resize(_ file: String, to width: Int) {}
    static func load(_ url: URL) -> Data { Data(url.path.utf8) }
}
