@_spi(Baton) import BatonOperations

@_spi(Baton) extension ScheduleSettings: WireCodable {
    static let minimumLength = 5

    func write(to writer: inout ByteWriter) {
        writer.text(name)
        writer.text(cron.description)
        writer.text(timeZone)
        writer.choice(overlap)
        writer.choice(catchUp)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let name = try reader.name("the schedule's name")
        let times = try reader.text("the schedule's times", atMost: CronExpression.maximumLength)
        let cron: CronExpression
        do throws(Refusal) {
            cron = try CronExpression(times)
        } catch {
            throw reader.malformed("the schedule's times", "cannot be read: \(error.message)")
        }
        self.init(
            name: name,
            cron: cron,
            timeZone: try reader.name("the schedule's time zone"),
            overlap: try reader.choice("the schedule's overlap"),
            catchUp: try reader.choice("what a schedule catches up")
        )
    }
}
