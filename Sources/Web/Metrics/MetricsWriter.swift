@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// Writes metrics in the text format 0.0.4 of Prometheus.
struct MetricsWriter {
    /// The kinds of metrics.
    enum Kind: String {
        case counter, gauge, histogram
    }

    /// The labels of a sample, in their order.
    typealias Labels = KeyValuePairs<StaticString, String>

    /// The text so far.
    private(set) var bytes: [UInt8] = []
    private var name: StaticString = ""

    /// Begins a metric; its samples have to follow.
    ///
    /// - Parameter help: what the metric tells, in a sentence.
    mutating func begin(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        self.name = name
        append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// Writes a sample of the metric.
    mutating func sample(_ value: some BinaryInteger, _ labels: Labels = [:]) {
        line("", labels, bound: nil, String(value))
    }

    /// Writes a sample of the metric.
    mutating func sample(_ value: Double, _ labels: Labels = [:]) {
        line("", labels, bound: nil, Self.text(of: value))
    }

    /// Writes a histogram of seconds.
    ///
    /// - Parameter shortest: smaller upper bounds are left out, which loses no duration.
    mutating func sample(_ histogram: HistogramDocument, from shortest: Duration, _ labels: Labels = [:]) {
        var sum: UInt64 = 0
        for (bucket, bound) in DurationHistogram.bounds.enumerated() {
            if bucket < histogram.counts.count { sum &+= histogram.counts[bucket] }
            guard bound >= shortest.microseconds else { continue }
            line("_bucket", labels, bound: Self.text(of: Double(bound) / 1e6), String(sum))
        }
        let count = histogram.counts.reduce(0, &+)
        line("_bucket", labels, bound: "+Inf", String(count))
        line("_sum", labels, bound: nil, Self.text(of: histogram.sumSeconds))
        line("_count", labels, bound: nil, String(count))
    }

    private mutating func line(_ suffix: StaticString, _ labels: Labels, bound: String?, _ value: String) {
        append("\(name)\(suffix)")
        var separator = "{"
        for (key, value) in labels {
            append("\(separator)\(key)=\"\(Self.escaped(value))\"")
            separator = ","
        }
        if let bound {
            append("\(separator)le=\"\(bound)\"")
            separator = ","
        }
        append(separator == "{" ? " \(value)\n" : "} \(value)\n")
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// A number without an exponent or a fraction where it has none.
    private static func text(of value: Double) -> String {
        if let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }

    /// The value of a label with the escapes of the format.
    private static func escaped(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 == 0x22 || $0 == 0x5C || $0 == 0x0A }) else { return value }
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
