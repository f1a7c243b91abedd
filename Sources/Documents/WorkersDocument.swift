/// The workers that there are: `workers`.
public struct WorkersDocument: Document {
    /// What the coordinator thinks of a worker.
    public enum State: String, Decodable, Sendable, CaseIterable {
        /// It was heard of lately.
        case alive
        /// It was silent for a while, and gets nothing new.
        case suspect
        /// It cannot start anything through a fault of its own, and gets one operation at a time to try.
        case failing
        /// It ends what it runs, and gets nothing new.
        case draining
        /// It was silent for so long that its operations were given to others.
        case lost
    }

    /// One worker.
    public struct Worker: Document {
        /// Its name.
        public var worker: String
        /// What the coordinator thinks of it.
        public var state: State
        /// Why it is failing; nil where it is not.
        public var reason: String?
        /// How many attempts it runs at once.
        public var slots: Int
        /// How many it runs now.
        public var executing: Int
        /// The name of its host.
        public var host: String
        /// What it says of itself for operations to choose by.
        public var labels: [String: String]
        /// What it has for operations to use up, and how much of it.
        public var resources: [String: Int]
        /// The types of Swift operations that it runs, beside commands.
        public var types: [String]
        /// Its process id on its host.
        public var processID: Int32
        /// Whether it has not come back since the coordinator was restarted, which waits for it: then only its name is known.
        public var absent: Bool

        /// Describes a worker.
        public init(
            worker: String,
            state: State,
            reason: String? = nil,
            slots: Int,
            executing: Int,
            host: String,
            labels: [String: String] = [:],
            resources: [String: Int] = [:],
            types: [String] = [],
            processID: Int32,
            absent: Bool = false
        ) {
            self.worker = worker
            self.state = state
            self.reason = reason
            self.slots = slots
            self.executing = executing
            self.host = host
            self.labels = labels
            self.resources = resources
            self.types = types
            self.processID = processID
            self.absent = absent
        }

        /// Writes the worker; labels and resources by name.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("worker", worker)
            writer.member("state", state.rawValue)
            if let reason { writer.member("reason", reason) }
            writer.member("slots", slots)
            writer.member("executing", executing)
            writer.member("host", host)
            writer.key("labels")
            writer.beginObject()
            for (label, value) in labels.sorted(by: { $0.key < $1.key }) {
                writer.key(label)
                writer.value(value)
            }
            writer.endObject()
            writer.key("resources")
            writer.beginObject()
            for (resource, amount) in resources.sorted(by: { $0.key < $1.key }) {
                writer.key(resource)
                writer.value(amount)
            }
            writer.endObject()
            writer.member("types", strings: types)
            writer.member("processID", processID)
            writer.member("absent", absent)
            writer.endObject()
        }
    }

    /// The workers, by name.
    public var workers: [Worker]

    /// Lists workers.
    public init(workers: [Worker]) {
        self.workers = workers
    }

    /// Writes the list.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("workers", array: workers) { worker, writer in worker.write(to: &writer) }
        writer.endObject()
    }
}
