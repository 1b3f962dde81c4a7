import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.source.legacy.RichParallelSourceFunction;
import org.apache.flink.streaming.api.operators.StreamSource;

/**
 * Jobs of Flink whose tasks sleep: PORT JAR JOBS, where each line of the file JOBS is a job.
 *
 * <p>Its fields, separated by tabs: name, milliseconds after which it comes ("" if those after it wait for
 * its end), and its stages. A stage has tasks, separated by ";", and a task the milliseconds of each attempt.
 */
public final class SleepingFlink {
    /** By what factor tasks take longer on a task manager; a system property of it. */
    static final String FACTOR = "pairs.factor";

    static void sleep(long[][] lasts, RuntimeContext context) throws InterruptedException {
        long[] attempts = lasts[context.getTaskInfo().getIndexOfThisSubtask()];
        int attempt = Math.min(context.getTaskInfo().getAttemptNumber(), attempts.length - 1);
        Thread.sleep(Math.round(attempts[attempt] * Double.parseDouble(System.getProperty(FACTOR))));
    }

    /** Sleeps, and then sends a record to each task that comes after it. */
    static final class First extends RichParallelSourceFunction<Integer> {
        private final long[][] lasts;
        private final int next;

        First(long[][] lasts, int next) {
            this.lasts = lasts;
            this.next = next;
        }

        @Override
        public void run(SourceContext<Integer> out) throws InterruptedException {
            sleep(lasts, getRuntimeContext());
            for (int number = 0; number < next; number++) {
                out.collect(number);
            }
        }

        @Override
        public void cancel() {}
    }

    /** Sleeps at the first record. */
    static final class Second extends RichMapFunction<Integer, Integer> {
        private final long[][] lasts;
        private boolean slept;

        Second(long[][] lasts) {
            this.lasts = lasts;
        }

        @Override
        public Integer map(Integer number) throws InterruptedException {
            if (!slept) {
                sleep(lasts, getRuntimeContext());
                slept = true;
            }
            return number;
        }
    }

    static long[][] stage(String told) {
        return Arrays.stream(told.split(";"))
                .map(task -> Arrays.stream(task.split(",")).mapToLong(Long::parseLong).toArray())
                .toArray(long[][]::new);
    }

    static JobClient submit(StreamExecutionEnvironment flink, String[] job) throws Exception {
        long[][] first = stage(job[2]);
        long[][] second = job.length > 3 ? stage(job[3]) : new long[0][];
        DataStream<Integer> source = new DataStreamSource<>(  // addSource would call it unbounded
                flink, Types.INT, new StreamSource<>(new First(first, second.length)), true, "first",
                Boundedness.BOUNDED).setParallelism(first.length);
        if (second.length > 0) {
            source.partitionCustom((key, count) -> key % count, number -> number)
                    .map(new Second(second)).name("second").setParallelism(second.length);
        } else {  // a source alone is no job, and a sink would be a stage of its own
            source.map(number -> number).name("end").setParallelism(first.length);
        }
        return flink.executeAsync(job[0]);
    }

    public static void main(String[] told) throws Exception {
        List<JobClient> running = new ArrayList<>();
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.createRemoteEnvironment(
                "127.0.0.1", Integer.parseInt(told[0]), new Configuration(), told[1]);
        flink.setRuntimeMode(RuntimeExecutionMode.BATCH);
        long due = System.nanoTime();
        for (String line : Files.readAllLines(Path.of(told[2]))) {
            String[] job = line.split("\t");
            if (job[1].isEmpty()) {
                submit(flink, job).getJobExecutionResult().get();
                due = System.nanoTime();
                continue;
            }
            due += Long.parseLong(job[1]) * 1_000_000;
            Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1_000_000));
            running.add(submit(flink, job));
        }
        for (JobClient one : running) {
            one.getJobExecutionResult().get();
        }
    }
}
