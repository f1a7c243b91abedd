@_spi(Baton) import BatonOperations

@_spi(Baton) extension Submission: WireCodable {
    static let minimumLength = 6

    func write(to writer: inout ByteWriter) {
        writer.optional(name) { $0.text($1) }
        writer.optional(key) { $0.text($1) }
        writer.list(queueChanges)
        writer.list(queueNames) { $0.text($1) }
        writer.list(templates)
        writer.list(entries)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            name: try reader.optional("the job's name") { reader throws(WireError) in
                try reader.name("the job's name")
            },
            key: try reader.optional("the key") { reader throws(WireError) in
                try reader.name("the key")
            },
            queueChanges: try reader.list("the queue changes", atMost: Submission.maximumQueues),
            queueNames: try reader.list("the queue names", minimumLength: 1, atMost: Submission.maximumQueues) {
                reader throws(WireError) in
                try reader.name("a queue's name")
            },
            templates: try reader.list("the templates"),
            entries: try reader.list("the entries", atMost: Submission.maximumOperations)
        )
    }
}

@_spi(Baton) extension Entry: WireCodable {
    static let minimumLength = 7

    func write(to writer: inout ByteWriter) {
        writer.optional(name) { $0.text($1) }
        writer.varint(template)
        writer.varint(queue)
        writer.flag(isCancelled)
        if hasDefaultOptions { writer.varint(0) } else { writer.options(of: self, in: Self.options) }
        writer.list(dependencies)
        writer.optional(array)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        reader.noteProgress()
        self.init(
            name: try reader.optional("an entry's name") { reader throws(WireError) in
                try reader.name("an entry's name")
            },
            template: try reader.varint("an entry's template"),
            queue: try reader.varint("an entry's queue"),
            isCancelled: try reader.flag("whether an entry is cancelled")
        )
        try reader.options(into: &self, in: Self.options)
        let count = try reader.count("an entry's dependencies", minimumLength: Dependency.minimumLength)
        if count > 1 { try reader.claim(count, of: Dependency.self, for: "an entry's dependencies") }
        for _ in 0..<count {
            dependencies.append(try reader.value())
        }
        array = try reader.optional("an entry's array")
    }
}

@_spi(Baton) extension Dependency: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.choice(condition)
        switch target {
        case .entry(let position):
            writer.byte(0)
            writer.varint(position)
        case .existing(let address):
            writer.byte(1)
            writer.value(address)
        case .element(let position, let element):
            writer.byte(2)
            writer.varint(position)
            writer.varint(element)
        case .elements(let position):
            writer.byte(3)
            writer.varint(position)
        case .existingElements(let address):
            writer.byte(4)
            writer.value(address)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let condition = try reader.choice("a dependency's condition", as: DependencyCondition.self)
        let form = try reader.byte("a dependency's form")
        // Nearly all dependencies of a large graph: a part of the loop over them, unlike the others.
        if form == 0 {
            self.init(on: .entry(try reader.varint("a dependency's entry")), condition: condition)
        } else {
            self.init(on: try Self.rarerTarget(form, from: &reader), condition: condition)
        }
    }

    @inline(never)
    private static func rarerTarget(_ form: UInt8, from reader: inout ByteReader) throws(WireError) -> Target {
        switch form {
        case 1: return .existing(try reader.dependencyTarget())
        case 2:
            let position = try reader.varint("a dependency's entry", as: Int.self)
            return .element(position, try reader.varint("a dependency's element", as: UInt32.self))
        case 3: return .elements(try reader.varint("a dependency's entry"))
        case 4: return .existingElements(try reader.value())
        default: throw reader.unknown("a dependency's form", form)
        }
    }
}

@_spi(Baton) extension ArrayValues: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        switch self {
        case .numbers(let first, let step, let count):
            writer.byte(0)
            writer.zigzag(first)
            writer.zigzag(step)
            writer.varint(count)
        case .lines(let lines):
            writer.byte(1)
            writer.list(lines) { $0.text($1) }
        case .picked(let elements):
            writer.byte(2)
            writer.list(elements)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        switch try reader.byte("an array's form") {
        case 0:
            let first = try reader.zigzag("an array's first number", as: Int64.self)
            let step = try reader.zigzag("an array's step", as: Int64.self)
            let count = try reader.varint("an array's length", as: Int.self)
            guard count <= Submission.maximumOperations else {
                throw reader.malformed("an array's length", "is above \(Submission.maximumOperations)")
            }
            self = .numbers(first: first, step: step, count: count)
        case 1:
            self = .lines(
                try reader.list("an array's lines", minimumLength: 1, atMost: Submission.maximumOperations) {
                    reader throws(WireError) in
                    try reader.text("an array's line")
                }
            )
        case 2: self = .picked(try reader.list("an array's elements", atMost: Submission.maximumOperations))
        case let other: throw reader.unknown("an array's form", other)
        }
    }
}

@_spi(Baton) extension ArrayValues.Element: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        writer.zigzag(number)
        writer.text(item)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(number: try reader.zigzag("an element's number"), item: try reader.text("an element's item"))
    }
}

@_spi(Baton) extension Template: WireCodable {
    static let minimumLength = 1 + Work.minimumLength

    func write(to writer: inout ByteWriter) {
        writer.value(work)
        writer.options(of: self, in: Self.options)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        reader.noteProgress()
        self.init(work: try reader.value())
        try reader.options(into: &self, in: Self.options)
    }
}

@_spi(Baton) extension QueueChange: WireCodable {
    static let minimumLength = 5

    func write(to writer: inout ByteWriter) {
        writer.text(name)
        writer.optional(maxConcurrent)
        writer.optional(qualityOfService)
        writer.optional(isSuspended) { $0.flag($1) }
        writer.byte((total == nil ? 0 : Self.hasTotal) | (startRate == nil ? 0 : Self.hasRate))
        if let total { writer.zigzag(total) }
        if let startRate { writer.text(startRate.description) }
    }

    /// The bits of the byte behind the suspension: whether there is a total, and whether there is a rate.
    ///
    /// A coordinator of 0.1.0 knows the first bit alone, and refuses a change with the other.
    private static let hasTotal: UInt8 = 1
    private static let hasRate: UInt8 = 2

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            name: try reader.name("a queue's name"),
            maxConcurrent: try reader.optional("a queue's limit"),
            qualityOfService: try reader.optional("a queue's quality of service"),
            isSuspended: try reader.optional("a queue's suspension") { reader throws(WireError) in
                try reader.flag("a queue's suspension")
            }
        )
        let present = try reader.byte("a queue's total")
        guard present & ~(Self.hasTotal | Self.hasRate) == 0 else { throw reader.unknown("a queue's total", present) }
        if present & Self.hasTotal != 0 { total = try reader.zigzag("a queue's total") }
        if present & Self.hasRate != 0 {
            guard let rate = QueueChange.Rate(try reader.text("a queue's rate")) else {
                throw reader.malformed("a queue's rate", "has another form than 10/s")
            }
            startRate = rate
        }
    }
}

@_spi(Baton) extension QueueChange.Limit: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        switch self {
        case .unlimited:
            writer.byte(0)
        case .atMost(let limit):
            writer.byte(1)
            writer.zigzag(limit)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        switch try reader.byte("a queue's limit") {
        case 0: self = .unlimited
        case 1: self = .atMost(try reader.zigzag("a queue's limit"))
        case let other: throw reader.unknown("a queue's limit", other)
        }
    }
}
