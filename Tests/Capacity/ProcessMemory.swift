@_spi(Baton) import BatonBenchmarks
import Foundation

/// The memory of this process.
enum ProcessMemory {
    /// The resident memory in bytes; nil where there is no proc(5).
    static var resident: Int64? {
        guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        else { return nil }
        return ProcessReading(stat: stat, status: status, ticksPerSecond: 100)?.resident
    }
}
